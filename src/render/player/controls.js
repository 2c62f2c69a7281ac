// The person: buttons, keys, mouse, fingers; and the clock.
const element = id => document.getElementById(id);

function complain(text) {
  element('message').textContent = text;
  element('message').hidden = false;
}

class Player {
  constructor(meta, motion, painter) {
    Object.assign(this, {meta, motion, painter});
    this.orbit = new Orbit(meta.look);
    this.place = 0;  // in frames
    this.playing = !window.matchMedia('(prefers-reduced-motion: reduce)').matches && meta.frames > 1;
    this.loop = true;
    this.wireframe = meta.wireframe;
    this.moved = this.turned = true;
    this.listen();
    this.showState();
    this.last = performance.now();
    requestAnimationFrame(now => this.tick(now));
  }

  tick(now) {
    const seconds = Math.min(0.1, (now - this.last) / 1000), end = this.motion.frames.length - 1;
    this.last = now;
    if (this.playing && end > 0) {
      this.place += seconds * this.meta.rate * Number(element('speed').value);
      if (this.place > end) {
        if (this.motion.frames.length < this.meta.frames) this.place = end;  // the rest is still being read
        else if (this.loop) this.place %= end;
        else this.stop(end);
      }
      this.moved = true;
    }
    if (this.moved || this.turned) {
      if (this.moved) {
        this.motion.show(this.place);
        this.painter.update();
        element('scrub').value = this.place;
        element('time').textContent = (this.place * this.meta.frame_time).toFixed(2) + ' s';
      }
      this.painter.draw(this.orbit, this.wireframe);
      this.moved = this.turned = false;
    }
    requestAnimationFrame(next => this.tick(next));
  }

  seek(place) {
    this.place = Math.max(0, Math.min(this.motion.frames.length - 1, place));
    this.moved = true;
  }
  stop(place) { this.playing = false; this.seek(place); this.showState(); }
  toggle() {
    if (!this.playing && this.place >= this.meta.frames - 1) this.place = 0;
    this.playing = !this.playing;
    this.showState();
  }
  showState() {
    element('play').innerHTML = this.playing ? '&#10074;&#10074;' : '&#9654;';
    element('play').setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
    element('loop').setAttribute('aria-pressed', this.loop);
    element('wire').setAttribute('aria-pressed', this.wireframe);
    this.turned = true;
  }
  faster(by) {
    const speed = element('speed');
    speed.selectedIndex = Math.max(0, Math.min(speed.options.length - 1, speed.selectedIndex + by));
  }
  fullScreen() { document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen?.(); }

  listen() {
    const scrub = element('scrub');
    scrub.max = this.meta.frames - 1;
    scrub.addEventListener('input', () => this.stop(Number(scrub.value)));
    element('play').addEventListener('click', () => this.toggle());
    element('loop').addEventListener('click', () => { this.loop = !this.loop; this.showState(); });
    element('wire').addEventListener('click', () => { this.wireframe = !this.wireframe; this.showState(); });
    element('home').addEventListener('click', () => { this.orbit.reset(); this.turned = true; });
    element('full').addEventListener('click', () => this.fullScreen());
    window.addEventListener('resize', () => { this.turned = true; });
    const keys = {
      ' ': () => this.toggle(), ArrowLeft: () => this.stop(Math.ceil(this.place) - 1), ArrowRight: () => this.stop(Math.floor(this.place) + 1),
      Home: () => this.stop(0), End: () => this.stop(this.meta.frames - 1), l: () => element('loop').click(), w: () => element('wire').click(),
      r: () => element('home').click(), f: () => this.fullScreen(), '+': () => this.faster(1), '-': () => this.faster(-1)};
    window.addEventListener('keydown', event => {
      const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
      if (event.ctrlKey || event.metaKey || event.altKey || !keys[key]) return;
      if (event.target instanceof HTMLSelectElement || (event.target instanceof HTMLButtonElement && key === ' ')) return;
      event.preventDefault();
      keys[key]();
    });
    this.listenToPointers(element('view'));
  }

  listenToPointers(canvas) {
    const down = new Map();  // pointer -> where it was
    canvas.addEventListener('contextmenu', event => event.preventDefault());
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      down.set(event.pointerId, [event.clientX, event.clientY]);
    });
    for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, event => down.delete(event.pointerId));
    canvas.addEventListener('pointermove', event => {
      const before = down.get(event.pointerId);
      if (!before) return;
      const now = [event.clientX, event.clientY], dx = now[0] - before[0], dy = now[1] - before[1];
      if (down.size === 2) {  // two fingers: their middle moves, their distance zooms
        const [other] = [...down].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
        const span = at => Math.max(1, Math.hypot(at[0] - other[0], at[1] - other[1]));
        this.orbit.zoom(span(before) / span(now));
        this.orbit.move(dx / 2, dy / 2, canvas.clientHeight);
      } else if (event.buttons & 6 || event.shiftKey) {
        this.orbit.move(dx, dy, canvas.clientHeight);
      } else {
        this.orbit.turn(dx, dy);
      }
      down.set(event.pointerId, now);
      this.turned = true;
    });
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.orbit.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004));
      this.turned = true;
    }, {passive: false});
  }
}

function showLegend(legend) {
  element('legend-title').textContent = legend.title;
  element('legend-middle').textContent = legend.middle;
  element('legend-max').textContent = legend.max;
  element('legend').hidden = false;
}

async function start() {
  const meta = JSON.parse(element('meta').textContent);
  if (meta.title) document.title = meta.title;
  if (typeof DecompressionStream === 'undefined') {
    throw new Error('This browser is too old for this page: it needs Chrome 80, Firefox 113, Safari 16.4 or later.');
  }
  const texts = {};
  for (const part of ['triangles', 'normals', 'vertices', 'strands']) texts[part] = element('shape-' + part).textContent;
  const motion = new Motion(meta);
  await motion.readShape(texts);
  if (meta.legend) showLegend(meta.legend);
  let wanted = /^#frame=(\d+)$/.exec(location.hash);  // page.html#frame=12 shows that frame and waits
  let player = null;
  for (const chunk of document.querySelectorAll('script.frames')) {
    await motion.readChunk(chunk.textContent, Number(chunk.dataset.order), Number(chunk.dataset.count));
    chunk.remove();
    if (!player) {
      motion.show(0);
      player = new Player(meta, motion, new Painter(element('view'), motion, meta));
      window.pliant = player;
    }
    if (wanted && motion.frames.length > Number(wanted[1])) {
      player.stop(Number(wanted[1]));
      wanted = null;
    }
  }
  document.body.dataset.ready = motion.frames.length;
}

start().catch(error => { console.error(error); complain(error.message); });
