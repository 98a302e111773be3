import { spawnSync } from 'node:child_process';

/** Finds a Node on the machine that is older than the service supports; undefined where there is none. */
export function oldNode(): string | undefined {
  return ['/usr/bin/node', '/usr/local/bin/node'].find((node) => {
    const { stdout } = spawnSync(node, ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' });
    return stdout && Number(stdout) < 24;
  });
}
