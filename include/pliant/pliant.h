#pragma once
// All of Pliant.
#include "pliant/cloth.h"
#include "pliant/error.h"
#include "pliant/io.h"
#include "pliant/jobs.h"
#include "pliant/material.h"
#include "pliant/mesh.h"
#include "pliant/scene.h"
#include "pliant/vec.h"
#include "pliant/world.h"
