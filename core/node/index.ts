/** The entry point `@horarium/core/node`: the ports that Node itself can implement, without native code. */

// First, so that an old Node.js is refused before other modules load.
import '../node-version.ts';

export { systemClock } from '../loop/system-clock.ts';
export { auditFolder } from './audit-folder.ts';
export { DraftFile } from './draft-file.ts';
export { createKeyFile, readKeyFile } from './key-file.ts';
export { nodeClock } from './node-clock.ts';
export { NodeDigests } from './node-digests.ts';
export { type NodePorts, type NodePortsOptions, nodePorts } from './node-ports.ts';
export { EphemeralVault, NodeVault, newVaultKey } from './node-vault.ts';
export { scryptHasher } from './scrypt-hasher.ts';
export { textLines } from './text-lines.ts';
