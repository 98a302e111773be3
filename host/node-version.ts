/**
 * The oldest version of Node that runs the service: an older one ends with a segmentation fault as soon as SQLite is
 * opened.
 */
const oldestVersion = 24;

/** Whether this Node runs the service. */
export const isSupportedNode = Number(process.versions.node.split('.')[0]) >= oldestVersion;

/** The package that brings a Node for this machine. */
export const nodePackage = `node-${process.platform}-${process.arch}`;

/** The message where this Node does not run the service. */
export const unsupportedNode =
  `Horarium needs Node ${oldestVersion} or newer; this is Node ${process.versions.node}. ` +
  `Install a newer one, or one beside Horarium, on which the command then runs: npm install ${nodePackage}@${oldestVersion}`;
