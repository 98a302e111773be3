import { type Attack, NotTried } from '../attack.ts';
import { sendRaw } from '../raw-request.ts';

const up = ['..', '%2e%2e', '.%2e', '%252e%252e', '..%00', '..\\', '..%5c', '....', '..;'];
const slashes = ['/', '%2f', '%252f', '\\', '%5c', '//'];
/** Files beside the folder that is served, above it, and hidden in it, by what they hold. */
const outside = ['plugin.js', '../../../package.json', '../../../../../../../../../etc/passwd', '.env', '.git/config'];

const traversal: Attack = {
  claim: 'No path of a request leads to a file outside of the assets that plugins bring, nor to a hidden one in them',
  attempt: async (target) => {
    const pages = [];
    for (const at of ['/board', '']) {
      const { status, text } = await sendRaw(target, at === '' ? '/' : at);
      if (status === 200) pages.push({ at, text });
    }
    if (pages.length === 0) throw new NotTried('no plugin of the service has assets at / or under /board');
    for (const { at, text } of pages)
      for (const step of up)
        for (const slash of slashes)
          for (const file of outside) {
            const beneath = file.split('/').map((name) => (name === '..' ? step : name));
            const path = `${at}/${file.startsWith('.') && !file.startsWith('..') ? '' : step + slash}${beneath.join(slash)}`;
            const found = await sendRaw(target, path);
            if (found.status < 400 && found.text !== text)
              return `${path} got ${found.status}: ${found.text.slice(0, 40)}`;
          }
    return null;
  },
};

export const assetAttacks = [traversal];
