#pragma once
// All of Pliant.
#include "pliant/collider.h"
#include "pliant/embed.h"
#include "pliant/error.h"
#include "pliant/io.h"
#include "pliant/jobs.h"
#include "pliant/keyframe.h"
#include "pliant/material.h"
#include "pliant/mesh.h"
#include "pliant/scene.h"
#include "pliant/tetrahedralize.h"
#include "pliant/vec.h"
#include "pliant/world.h"
