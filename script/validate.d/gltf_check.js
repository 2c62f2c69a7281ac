// Runs Khronos' glTF validator on a file:   node gltf_check.js FOLDER_OF_NODE_MODULES FILE
// Prints how many errors, warnings, infos and hints there are; ends with 1 where an error or a warning is.
const fs = require('fs');
const path = require('path');

const [folder, file] = process.argv.slice(2);
const validator = require(path.join(path.resolve(folder), 'gltf-validator'));
validator.validateBytes(new Uint8Array(fs.readFileSync(file)), {maxIssues: 20}).then((report) => {
  const {numErrors, numWarnings, numInfos, numHints, messages} = report.issues;
  for (const m of messages) console.log(`${m.code} ${m.pointer || ''}: ${m.message}`);
  const {animationCount, totalVertexCount, totalTriangleCount} = report.info;
  console.log(`gltf-validator ${validator.version()}: ${numErrors} errors, ${numWarnings} warnings, ${numInfos} infos, ` +
              `${numHints} hints; ${animationCount} animations, ${totalVertexCount} vertices, ${totalTriangleCount} triangles`);
  process.exit(numErrors + numWarnings > 0 ? 1 : 0);
}).catch((error) => {
  console.error(String(error));
  process.exit(1);
});
