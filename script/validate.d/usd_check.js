// Opens a .usda with OpenUSD (as WebAssembly, npm package three-usdz-loader) and compares the points that it hands to a
// renderer with ours:
//
//   node usd_check.js FOLDER_OF_NODE_MODULES FILE EXPECTED
//
// EXPECTED is JSON: for some frames the positions of every body. Ends with 0 when the largest difference is at most
// 1e-5 m, and all times are as they should be.
const {spawnSync} = require('child_process');
const fs = require('fs');
const path = require('path');

// The package is made for pages. In Node its main thread and its workers (which run what -r names) miss these.
globalThis.location = {pathname: '/', toString: () => '/'};
globalThis.XMLHttpRequest = class {
  open() {}
  send() {}
};

const kTolerance = 1e-5;

async function check(folder, file, expectedFile) {
  const home = path.join(path.resolve(folder), 'three-usdz-loader', 'external');
  const expected = JSON.parse(fs.readFileSync(expectedFile));
  const problems = [];
  const usd = await require(path.join(home, 'emHdBindings.js'))({
    wasmBinary: fs.readFileSync(path.join(home, 'emHdBindings.wasm')),
    getPreloadedPackage: () => new Uint8Array(fs.readFileSync(path.join(home, 'emHdBindings.data'))).buffer,
    locateFile: (name) => path.join(home, name),
    printErr: (text) => {
      // It is built without volumes and without plugins for shaders, and says so.
      if (!/UsdVol|DiscoveryPlugins/.test(text)) problems.push(text);
    },
  });
  usd.FS.createDataFile('/', 'a.usda', new Uint8Array(fs.readFileSync(file)), true, true, true);

  const bodies = {};
  const ignoring = (target) => new Proxy(target, {get: (t, name) => (name in t ? t[name] : () => {})});
  const renderer = {
    createRPrim: (type, id) => {
      const body = {type, id};
      bodies[id.replace('/World/', '')] = body;
      return ignoring({
        updatePoints: (points) => { body.points = Float32Array.from(points); },
        updateNormals: (normals) => { body.normals = Float32Array.from(normals); },
        updatePrimvar: (name, data) => { body[name] = Float32Array.from(data); },
        updateIndices: (indices) => { body.indices = indices.length; },
        setMaterial: (id) => { body.material = id; },
      });
    },
    createBPrim: () => ignoring({}),
    createSPrim: () => ignoring({}),
    CommitResources: () => {},
  };
  const driver = new usd.HdWebSyncDriver(renderer, 'a.usda');
  const stage = driver.GetStage();
  const same = (what, ours, theirs) => { if (ours !== theirs) problems.push(`${what}: ${theirs} instead of ${ours}`); };
  same('endTimeCode', expected.last_code, stage.GetEndTimeCode());
  same('timeCodesPerSecond', Math.round(1 / expected.step), stage.GetTimeCodesPerSecond());

  let compared = 0, worst = 0;
  for (const frame of expected.frames) {
    driver.SetTime(frame.code);
    driver.Draw();
    for (const ours of frame.bodies) {
      const theirs = bodies[ours.name];
      if (!theirs || !theirs.points) {
        problems.push(`${ours.name} is not there`);
        continue;
      }
      same(`points of ${ours.name}`, 3 * ours.positions.length, theirs.points.length);
      same(`material of ${ours.name}`, `/World/Materials/${ours.name}`, theirs.material);
      ours.positions.flat().forEach((x, i) => { worst = Math.max(worst, Math.abs(x - theirs.points[i])); });
      compared += ours.positions.length;
    }
  }
  for (const text of problems) console.log(text);
  console.log(`OpenUSD: ${Object.keys(bodies).length} prims, ${compared} points compared, ` +
              `largest difference ${worst.toExponential(1)} m`);
  process.exit(problems.length === 0 && compared > 0 && worst <= kTolerance ? 0 : 1);
}

if (require.main === module) {
  // Again with this file in front, so that it reaches the workers.
  const again = [...process.execArgv, '-r', __filename, '-e', '', ...process.argv.slice(2)];
  const run = spawnSync(process.execPath, again, {stdio: 'inherit', env: {...process.env, PLIANT_USD_CHECK: '1'}, timeout: 120000});
  process.exit(run.status === null ? 1 : run.status);
} else if (require('worker_threads').isMainThread && process.env.PLIANT_USD_CHECK) {
  check(...process.argv.slice(-3)).catch((error) => {
    console.error(error);
    process.exit(1);
  });
}
