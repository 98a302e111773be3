import { spawnSync } from 'node:child_process';

/**
 * Finds a Node.js that is older than the service supports: the one that HORARIUM_TEST_OLD_NODE names, or one that is
 * installed; undefined = there is none.
 */
export function oldNode(): string | undefined {
  const { HORARIUM_TEST_OLD_NODE: named = [] } = process.env;
  return [named, '/usr/bin/node', '/usr/local/bin/node'].flat().find((node) => {
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' });
    return stdout && Number(stdout) < 24;
  });
}
