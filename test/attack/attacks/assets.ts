import { request } from 'node:http';
import { type Attack, NotTried } from '../attack.ts';
import type { Target } from '../target.ts';

/** Sends a path as it is, which `fetch` would shorten. @returns the status and the body. */
function get({ url }: Target, path: string): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const outgoing = request({ hostname, port, path, agent: false, headers: { accept: '*/*' } }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

const up = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '..\\', '..%5c', '....', '..;'];
const slashes = ['/', '%2f', '%252f', '\\', '%5c', '//'];
/** Files beside the folder that is served, above it, and hidden in it, by what they hold. */
const outside = ['plugin.js', '../../../package.json', '../../../../../../../../../etc/passwd', '.env', '.git/config'];

const traversal: Attack = {
  claim: 'No path of a request leads to a file outside of the assets that plugins bring, nor to a hidden one in them',
  attempt: async (target) => {
    const { status, text: page } = await get(target, '/board');
    if (status !== 200) throw new NotTried('no plugin of the service has assets under /board');
    for (const step of up)
      for (const slash of slashes)
        for (const file of outside) {
          const beneath = file.split('/').map((name) => (name === '..' ? step : name));
          const path = `/board/${file.startsWith('.') && !file.startsWith('..') ? '' : step + slash}${beneath.join(slash)}`;
          const found = await get(target, path);
          if (found.status < 400 && found.text !== page)
            return `${path} got ${found.status}: ${found.text.slice(0, 40)}`;
        }
    return null;
  },
};

export const assetAttacks = [traversal];
