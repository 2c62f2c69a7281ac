// Draws the motion with WebGL 2 and lets a person look at it. No library: the page is one file that works from disk.
'use strict';

// ---------------------------------------------------------------- vectors and matrices (column by column)
const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = a => { const size = Math.hypot(...a); return size > 0 ? times(a, 1 / size) : [0, 1, 0]; };
function product(a, b) {
  const out = new Float32Array(16);
  for (let c = 0; c < 4; ++c) {
    for (let r = 0; r < 4; ++r) for (let k = 0; k < 4; ++k) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  }
  return out;
}
function lookAt(eye, back, up) {  // world to camera
  const z = unit(back), x = unit(cross(up, z)), y = cross(z, x);
  return new Float32Array([x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1]);
}
function perspective(fov, aspect, near, far) {
  const f = 1 / Math.tan(fov / 2), d = near - far;
  return new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / d, -1, 0, 0, 2 * far * near / d, 0]);
}
// A light far away that shines on a ball of this radius around a point.
function lightMatrix(direction, center, radius) {
  const up = Math.abs(direction[1]) > 0.95 ? [0, 0, -1] : [0, 1, 0];
  const s = 1 / radius, box = new Float32Array([s, 0, 0, 0, 0, s, 0, 0, 0, 0, -s, 0, 0, 0, 0, 1]);
  return product(box, lookAt(center, direction, up));
}

// ---------------------------------------------------------------- camera
class Orbit {
  constructor(look) {
    this.look = look;
    this.reset();
  }
  reset() {
    const back = minus(this.look.eye, this.look.target);
    this.target = this.look.target.slice();
    this.distance = Math.hypot(...back);
    this.yaw = Math.atan2(back[0], back[2]);
    this.pitch = Math.asin(Math.max(-1, Math.min(1, back[1] / this.distance)));
  }
  back() {
    const c = Math.cos(this.pitch);
    return [Math.sin(this.yaw) * c, Math.sin(this.pitch), Math.cos(this.yaw) * c];
  }
  eye() { return plus(this.target, times(this.back(), this.distance)); }
  turn(dx, dy) {
    this.yaw -= dx * 0.008;
    this.pitch = Math.max(-1.5, Math.min(1.5, this.pitch + dy * 0.008));
  }
  zoom(factor) { this.distance = Math.max(0.02 * this.look.extent, Math.min(60 * this.look.extent, this.distance * factor)); }
  move(dx, dy, height) {
    const right = unit(cross([0, 1, 0], this.back())), up = cross(this.back(), right);
    const perPixel = 2 * Math.tan(this.look.fov * Math.PI / 360) * this.distance / height;
    this.target = plus(this.target, plus(times(right, -dx * perPixel), times(up, dy * perPixel)));
  }
}

// ---------------------------------------------------------------- drawing
class Painter {
  constructor(canvas, motion, meta) {
    const gl = canvas.getContext('webgl2', {antialias: true, alpha: false, preserveDrawingBuffer: false});
    if (!gl) throw new Error('This browser cannot draw with WebGL 2.');
    Object.assign(this, {canvas, gl, motion, meta});
    this.programs = {
      mesh: this.program(kMeshVertex, kMeshFragment), depth: this.program(kDepthVertex, kDepthFragment),
      ground: this.program(kGroundVertex, kGroundFragment), back: this.program(kBackVertex, kBackFragment)};
    const look = meta.look, eye = minus(look.eye, look.target);
    const across = unit([eye[2], 0, -eye[0]]), toward = unit([eye[0], 0, eye[2]]);
    const turned = d => unit(plus(plus(times(across, d[0]), [0, d[1], 0]), times(toward, d[2])));
    this.key = turned([-0.55, 0.95, 0.62]);
    this.fill = turned([0.9, 0.25, 0.5]);
    this.rim = turned([0.35, 0.45, -0.85]);
    this.radius = 1.15 * look.extent;
    this.sunMatrix = lightMatrix(this.key, look.center, this.radius);
    this.skyDirections = [[0, 1, 0]];
    for (let i = 0; i < 5; ++i) this.skyDirections.push(unit([Math.cos(1.2566 * i), 0.75, Math.sin(1.2566 * i)]));
    this.skyMatrices = this.skyDirections.map(d => lightMatrix(d, look.center, this.radius));
    this.makeMaps();
    this.makeBuffers();
  }

  program(vertex, fragment) {
    const gl = this.gl, program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(program));
    const at = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; ++i) {
      const name = gl.getActiveUniform(program, i).name;
      at[name.replace('[0]', '')] = gl.getUniformLocation(program, name);
    }
    return {program, at};
  }

  makeMaps() {
    const gl = this.gl;
    const compare = target => {
      gl.texParameteri(target, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
      gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
      gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
      gl.texParameteri(target, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
      gl.texParameteri(target, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    };
    this.sunMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.sunMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, 2048, 2048);
    compare(gl.TEXTURE_2D);
    this.skyMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.skyMap);
    gl.texStorage3D(gl.TEXTURE_2D_ARRAY, 1, gl.DEPTH_COMPONENT24, 384, 384, 6);
    compare(gl.TEXTURE_2D_ARRAY);
    this.target = gl.createFramebuffer();
  }

  makeBuffers() {
    const gl = this.gl, motion = this.motion;
    const buffer = (target, data, usage) => {
      const name = gl.createBuffer();
      gl.bindBuffer(target, name);
      gl.bufferData(target, data, usage);
      return name;
    };
    this.meshArray = gl.createVertexArray();
    gl.bindVertexArray(this.meshArray);
    this.drawn = buffer(gl.ARRAY_BUFFER, motion.drawn, gl.DYNAMIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 24, 0);
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 24, 12);
    buffer(gl.ARRAY_BUFFER, motion.colors, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(2);
    gl.vertexAttribPointer(2, 4, gl.UNSIGNED_BYTE, true, 0, 0);
    if (this.meta.values) {
      this.values = buffer(gl.ARRAY_BUFFER, motion.drawnValues, gl.DYNAMIC_DRAW);
      gl.enableVertexAttribArray(3);
      gl.vertexAttribPointer(3, 1, gl.FLOAT, false, 0, 0);
    }
    this.faces = buffer(gl.ELEMENT_ARRAY_BUFFER, motion.indices, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
    this.lines = buffer(gl.ELEMENT_ARRAY_BUFFER, motion.edges, gl.STATIC_DRAW);
    this.squareArray = gl.createVertexArray();
    gl.bindVertexArray(this.squareArray);
    buffer(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    gl.bindVertexArray(null);
  }

  // New positions: to the card, and into the depth maps of the lights.
  update() {
    const gl = this.gl, motion = this.motion;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.drawn);
    gl.bufferSubData(gl.ARRAY_BUFFER, 0, motion.drawn);
    if (this.values) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.values);
      gl.bufferSubData(gl.ARRAY_BUFFER, 0, motion.drawnValues);
    }
    gl.useProgram(this.programs.depth.program);
    gl.bindVertexArray(this.meshArray);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.target);
    gl.enable(gl.DEPTH_TEST);
    const draw = (matrix, size) => {
      gl.viewport(0, 0, size, size);
      gl.clear(gl.DEPTH_BUFFER_BIT);
      gl.uniformMatrix4fv(this.programs.depth.at.uMatrix, false, matrix);
      gl.drawElements(gl.TRIANGLES, motion.indices.length, gl.UNSIGNED_INT, 0);
    };
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.sunMap, 0);
    draw(this.sunMatrix, 2048);
    this.skyMatrices.forEach((matrix, i) => {
      gl.framebufferTextureLayer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, this.skyMap, 0, i);
      draw(matrix, 384);
    });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.bindVertexArray(null);
  }

  use(program, matrix, eye) {
    const gl = this.gl, at = program.at;
    gl.useProgram(program.program);
    gl.uniformMatrix4fv(at.uMatrix ?? null, false, matrix);
    const vector = (name, v) => { if (at[name]) gl.uniform3fv(at[name], v); };
    vector('uEye', eye);
    vector('uKey', this.key);
    vector('uFill', this.fill);
    vector('uRim', this.rim);
    if (at.uSunMap) gl.uniform1i(at.uSunMap, 0);
    if (at.uSkyMap) gl.uniform1i(at.uSkyMap, 1);
    if (at.uSunMatrix) gl.uniformMatrix4fv(at.uSunMatrix, false, this.sunMatrix);
    if (at.uSkyMatrix) gl.uniformMatrix4fv(at.uSkyMatrix, false, this.skyMatrices.flatMap(m => [...m]));
    if (at.uSkyDirection) gl.uniform3fv(at.uSkyDirection, this.skyDirections.flat());
    if (at.uSunTexel) gl.uniform1f(at.uSunTexel, 2 * this.radius / 2048);
    if (at.uSkyTexel) gl.uniform1f(at.uSkyTexel, 2 * this.radius / 384);
  }

  draw(orbit, wireframe) {
    const gl = this.gl, look = this.meta.look, canvas = this.canvas;
    const scale = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
    const eye = orbit.eye(), aspect = width / height;
    // A picture narrower than the one that the camera was made for shows as much from left to right.
    const half = Math.tan(look.fov * Math.PI / 360) * Math.max(1, look.aspect / aspect);
    const near = 0.01 * Math.min(orbit.distance, look.extent), far = orbit.distance + 30 * look.extent;
    const matrix = product(perspective(2 * Math.atan(half), aspect, near, far), lookAt(eye, orbit.back(), [0, 1, 0]));
    gl.viewport(0, 0, width, height);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.sunMap);
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D_ARRAY, this.skyMap);

    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.squareArray);
    gl.useProgram(this.programs.back.program);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);

    if (eye[1] > look.ground) {
      const ground = this.programs.ground;
      this.use(ground, matrix, eye);
      gl.uniform3fv(ground.at.uCenter, look.center);
      gl.uniform3fv(ground.at.uOrigin, this.meta.origin);
      gl.uniform2f(ground.at.uView, width, height);
      gl.uniform1f(ground.at.uHeight, look.ground);
      gl.uniform1f(ground.at.uReach, 9 * look.extent);
      gl.uniform1f(ground.at.uSpacing, 10 ** Math.floor(Math.log10(0.6 * look.extent)));
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    const mesh = this.programs.mesh;
    this.use(mesh, matrix, eye);
    gl.uniform1i(mesh.at.uByValue, this.meta.values ? 1 : 0);
    gl.uniform1i(mesh.at.uLines, 0);
    gl.uniform3fv(mesh.at.uScale, this.meta.scale);
    gl.bindVertexArray(this.meshArray);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.faces);
    gl.drawElements(gl.TRIANGLES, this.motion.indices.length, gl.UNSIGNED_INT, 0);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (wireframe) {
      gl.uniform1i(mesh.at.uLines, 1);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.lines);
      gl.drawElements(gl.LINES, this.motion.edges.length, gl.UNSIGNED_INT, 0);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.faces);
      gl.disable(gl.BLEND);
    }
    gl.bindVertexArray(null);
  }
}
