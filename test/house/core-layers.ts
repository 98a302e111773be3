/**
 * The layers of the core from the bottom up: each imports only itself and those before it. The files of `core/` that are
 * not listed belong to the layer of `core.ts`, except the index, which exports from all layers.
 */
export const coreLayers = [
  'node-version.ts',
  'errors.ts',
  'loop',
  'registry',
  'time',
  'field',
  'store',
  'secret',
  'resource',
  'audit',
  'records',
  'app',
  'credential',
  'company',
  'user',
  'executor',
  'template',
  'task',
  'job',
  'attempt',
  'scheduler',
  'worker',
  'external',
  'event',
  'node',
  'core.ts',
  'plugin',
  'contracts',
];
