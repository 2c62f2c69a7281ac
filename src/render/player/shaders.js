// Shaders of the player. The light is that of src/render/shading.h; shadows come from one map of the sun and six of the
// sky instead of sixteen and forty-eight.
const kLightGlsl = `
precision highp float;
precision highp sampler2DShadow;
precision highp sampler2DArrayShadow;
uniform vec3 uEye, uKey, uFill, uRim;
uniform sampler2DShadow uSunMap;
uniform sampler2DArrayShadow uSkyMap;
uniform mat4 uSunMatrix, uSkyMatrix[6];
uniform vec3 uSkyDirection[6];
uniform float uSunTexel, uSkyTexel;
const vec3 kKeyLight = vec3(2.15, 2.02, 1.82), kFillLight = vec3(0.16, 0.19, 0.24), kRimLight = vec3(0.45, 0.50, 0.58);
const vec3 kSkyLight = vec3(0.62, 0.70, 0.82), kGroundLight = vec3(0.40, 0.38, 0.35), kGroundColor = vec3(0.80, 0.82, 0.84);

float hash(vec2 p) { return fract(52.9829189 * fract(dot(p, vec2(0.06711056, 0.00583715)))); }

bool outside(vec3 q) { return any(lessThan(q, vec3(0.0))) || any(greaterThan(q, vec3(1.0))); }

float sunLight(vec3 p, vec3 n) {
  float grazing = sqrt(max(0.0, 1.0 - pow(max(0.0, dot(n, uKey)), 2.0)));
  vec4 h = uSunMatrix * vec4(p + n * uSunTexel * (1.0 + 2.0 * grazing), 1.0);
  vec3 q = h.xyz * 0.5 + 0.5;
  if (outside(q)) return 1.0;
  float sum = 0.0, turn = 6.2831853 * hash(gl_FragCoord.xy);
  for (int i = 0; i < 16; ++i) {
    float radius = sqrt((float(i) + 0.5) / 16.0) * 5.0 / 2048.0, angle = turn + 2.39996323 * float(i);
    sum += texture(uSunMap, vec3(q.xy + radius * vec2(cos(angle), sin(angle)), q.z - 0.0006));
  }
  return sum / 16.0;
}

float skyLight(vec3 p, vec3 n) {
  float sum = 0.0, all = 0.0, turn = 6.2831853 * hash(gl_FragCoord.yx);
  for (int i = 0; i < 6; ++i) {
    float weight = max(0.0, dot(n, uSkyDirection[i])) + 0.05;
    vec4 h = uSkyMatrix[i] * vec4(p + n * uSkyTexel * 2.5, 1.0);
    vec3 q = h.xyz * 0.5 + 0.5;
    float light = 0.0;
    for (int k = 0; k < 6; ++k) {
      float radius = sqrt((float(k) + 0.5) / 6.0) * 12.0 / 384.0, angle = turn + 2.39996323 * float(k);
      vec2 at = q.xy + radius * vec2(cos(angle), sin(angle));
      light += outside(vec3(at, q.z)) ? 1.0 : texture(uSkyMap, vec4(at, float(i), q.z - 0.004));
    }
    sum += weight * light / 6.0;
    all += weight;
  }
  return sum / all;
}

vec3 display(vec3 c) {
  c = mix(c, 0.6 + 0.4 * (1.0 - exp(-(c - 0.6) / 0.4)), vec3(greaterThan(c, vec3(0.6))));
  return mix(12.92 * c, 1.055 * pow(max(c, vec3(0.0031308)), vec3(1.0 / 2.4)) - 0.055, vec3(greaterThan(c, vec3(0.0031308))));
}
vec3 backgroundColor(float height) {
  return mix(vec3(0.86, 0.885, 0.91), vec3(0.50, 0.58, 0.68), smoothstep(0.35, 1.25, height));
}
`;

const kMeshVertex = `#version 300 es
layout(location = 0) in vec3 aPosition;
layout(location = 1) in vec3 aNormal;
layout(location = 2) in vec4 aColor;
layout(location = 3) in float aValue;
uniform mat4 uMatrix;
out vec3 vPosition, vNormal;
flat out float vKind;
out vec3 vColor;
out float vValue;
void main() {
  vPosition = aPosition;
  vNormal = aNormal;
  vColor = aColor.rgb;
  vKind = aColor.a * 255.0;
  vValue = aValue;
  gl_Position = uMatrix * vec4(aPosition, 1.0);
}`;

const kMeshFragment = `#version 300 es
${kLightGlsl}
in vec3 vPosition, vNormal, vColor;
flat in float vKind;
in float vValue;
uniform bool uByValue, uLines;
uniform vec3 uScale[9];
out vec4 oColor;
void main() {
  vec3 toEye = normalize(uEye - vPosition);
  vec3 n = normalize(gl_FrontFacing ? vNormal : -vNormal);
  vec3 color = pow(vColor, vec3(2.2));
  if (uByValue) {
    float place = 8.0 * clamp(vValue, 0.0, 1.0);
    int i = min(7, int(place));
    color = mix(uScale[i], uScale[i + 1], place - float(i));
  }
  if (uLines) { oColor = vec4(display(color * 0.12), 0.55); return; }
  bool cloth = vKind < 0.5, solid = vKind > 0.5 && vKind < 1.5;
  float gloss = solid ? 0.32 : 0.055, sharpness = solid ? 70.0 : 18.0, wrap = solid ? 0.18 : 0.07;
  float sun = sunLight(vPosition, n), sky = skyLight(vPosition, n);
  float key = dot(n, uKey), up = 0.5 + 0.5 * n.y;
  vec3 light = kKeyLight * max(0.0, (key + wrap) / (1.0 + wrap)) * sun;
  if (cloth) light += kKeyLight * 0.22 * max(0.0, -key);
  light += kFillLight * max(0.0, (dot(n, uFill) + wrap) / (1.0 + wrap)) * (0.4 + 0.6 * sky);
  light += kSkyLight * up * sky + kGroundLight * (1.0 - up) * (0.35 + 0.65 * sky);
  vec3 shown = color * light * 0.42 + color * color * kSkyLight * 0.12 * (1.0 - sky);
  float grazing = 1.0 - clamp(dot(n, toEye), 0.0, 1.0), fresnel = 0.25 + 0.75 * pow(grazing, 5.0);
  float highlight = pow(max(0.0, dot(n, normalize(uKey + toEye))), sharpness) * clamp(4.0 * key, 0.0, 1.0);
  shown += kKeyLight * gloss * fresnel * highlight * sun;
  shown += kRimLight * (0.25 + gloss) * grazing * grazing * max(0.0, dot(n, uRim)) * sky;
  oColor = vec4(display(shown), 1.0);
}`;

const kDepthVertex = `#version 300 es
layout(location = 0) in vec3 aPosition;
uniform mat4 uMatrix;
void main() { gl_Position = uMatrix * vec4(aPosition, 1.0); }`;
const kDepthFragment = `#version 300 es
precision mediump float;
void main() {}`;

const kGroundVertex = `#version 300 es
layout(location = 0) in vec2 aCorner;
uniform mat4 uMatrix;
uniform vec3 uCenter;
uniform float uHeight, uReach;
out vec3 vPosition;
void main() {
  vPosition = vec3(uCenter.x + aCorner.x * uReach, uHeight, uCenter.z + aCorner.y * uReach);
  gl_Position = uMatrix * vec4(vPosition, 1.0);
}`;
const kGroundFragment = `#version 300 es
${kLightGlsl}
in vec3 vPosition;
uniform vec3 uCenter, uOrigin;
uniform vec2 uView;
uniform float uReach, uSpacing;
out vec4 oColor;
float lines(vec2 place, float spacing, float pixels) {
  vec2 width = fwidth(place), away = abs(place - spacing * floor(place / spacing + 0.5));
  vec2 cover = clamp(0.5 * pixels + 0.5 - away / width, 0.0, 1.0) * (1.0 - smoothstep(0.02, 0.25, width / spacing));
  return max(cover.x, cover.y);
}
void main() {
  vec3 n = vec3(0.0, 1.0, 0.0);
  float sun = sunLight(vPosition, n), sky = skyLight(vPosition, n);
  vec3 open = kKeyLight * 0.62 + kSkyLight;
  vec3 color = kGroundColor * (kKeyLight * 0.62 * sun + kSkyLight * (0.12 + 0.88 * sky)) / open;
  vec2 place = vPosition.xz + uOrigin.xz;
  color *= 1.0 - max(0.16 * lines(place, uSpacing, 1.0), 0.22 * lines(place, 10.0 * uSpacing, 2.0));
  float presence = 1.0 - smoothstep(0.18 * uReach, uReach, length(vPosition.xz - uCenter.xz));
  oColor = vec4(display(mix(backgroundColor(gl_FragCoord.y / uView.y), color, presence)), 1.0);
}`;

const kBackVertex = `#version 300 es
layout(location = 0) in vec2 aCorner;
out float vHeight;
void main() { vHeight = 0.5 + 0.5 * aCorner.y; gl_Position = vec4(aCorner, 1.0, 1.0); }`;
const kBackFragment = `#version 300 es
${kLightGlsl}
in float vHeight;
out vec4 oColor;
void main() { oColor = vec4(display(backgroundColor(vHeight)), 1.0); }`;
