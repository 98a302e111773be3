import { spawnSync } from 'node:child_process';

/** Finds an installed Node.js that is older than the service supports; undefined = there is none. */
export function oldNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((node) => {
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' });
    return stdout && Number(stdout) < 24;
  });
}
