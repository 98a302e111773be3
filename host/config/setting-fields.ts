import {
  actionEvents,
  actionList,
  anything,
  canonicalZone,
  type Field,
  integer,
  json,
  mapOf,
  parseDuration,
  text,
  texts,
} from '@horarium/core';
import { parseNetwork } from '../../adapters/http/security/networks.ts';
import { splitList, WrongValue } from './setting.ts';

/** How a setting is documented. */
interface Docs {
  readonly description: string;
}

/** A duration such as `45s`, stored in milliseconds. */
export function duration(docs: Docs, { min = 0, max = Infinity } = {}) {
  const limits = [min > 0 ? `${min / 1000}s or more` : '', max < Infinity ? `${max / 1000}s at most` : ''];
  const expected = ['a duration such as 45s, 15m, 12h or 90d', ...limits].filter(Boolean).join(', ');
  return integer({ ...docs, expected, parse: parser(parseDuration) })
    .min(min)
    .max(Math.min(max, Number.MAX_SAFE_INTEGER));
}

const unitBytes = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const;

/** A size such as `65536`, `64KiB` or `10MiB`, stored in bytes. */
export function size(docs: Docs) {
  const parse = parser((given) => {
    const [, count, unit] = /^(\d{1,12})\s?(KiB|MiB|GiB|)$/.exec(given) ?? [];
    return unit === undefined ? undefined : Number(count) * unitBytes[unit as keyof typeof unitBytes];
  });
  return integer({ ...docs, expected: 'a size such as 64KiB or 10MiB', parse }).min(0);
}

/** A whole number from 1 on such as `90`, or a word that stands for the maximum. */
export function upTo(max: number, word: string, docs: Docs) {
  const parse = parser((given) => {
    if (given === word) return max;
    return /^\d{1,10}$/.test(given) ? Number(given) : undefined;
  });
  return integer({ ...docs, expected: `a whole number from 1 to ${max}, or ${word}`, parse })
    .min(1)
    .max(max);
}

/** A comma-separated list of texts. */
export function list(docs: Docs) {
  return texts(4096, { ...docs, expected: 'one or several, separated by commas' });
}

/** Names, ids and ranges of ids of users; the executor that starts programs as them checks which there are. */
export function users(docs: Docs) {
  return texts(64, { ...docs, expected: 'names, ids that no user has, and ranges of them: horarium-a,20000-20999' });
}

function listOf(docs: Docs, expected: string, read: (item: string) => string | undefined) {
  const parse = (given: unknown) => splitList(String(given)).map(parser(read));
  return texts(4096, { ...docs, expected: `${expected}; several are separated by commas`, parse });
}

/** The name of an IANA time zone, stored in its canonical spelling. */
export function timezone(docs: Docs) {
  return text(255, { ...docs, expected: 'a time zone such as Europe/Prague', parse: parser(canonicalZone) });
}

/** An http or https URL, with a path where a proxy adds one, but no query, fragment or credentials. */
export function webUrl(docs: Docs) {
  const parse = parser((given) => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
      return undefined;
    return url.href.replace(/\/$/, '');
  });
  return text(2048, { ...docs, expected: 'an address such as https://jobs.example.com', parse });
}

/** Origins as browsers write them: scheme, host and port, nothing else. */
export function origins(docs: Docs) {
  return listOf(docs, 'an origin such as https://app.example.com', (given) =>
    URL.canParse(given) && new URL(given).origin === given ? given : undefined,
  );
}

/** IP addresses and CIDR ranges; a range of all addresses (`/0`) is refused. */
export function networks(docs: Docs) {
  return listOf(docs, 'an IP address or a CIDR range such as 10.0.0.0/8, but not /0', (given) => {
    try {
      parseNetwork('network', given);
      return given;
    } catch {
      return undefined;
    }
  });
}

/** Encryption keys of 32 bytes, each in base64; in a file also one a line. */
export function keys(docs: Docs) {
  const readKey = parser((given) =>
    /^[A-Za-z0-9+/_-]{43}=?$/.test(given) && Buffer.from(given, 'base64').length === 32 ? given : undefined,
  );
  const parse = (given: unknown) =>
    splitList(
      String(given)
        .trim()
        .replace(/\s*\n\s*/g, ','),
    ).map(readKey);
  return texts(4096, { ...docs, expected: '32 bytes in base64; several are separated by commas', parse });
}

const options: Field<Readonly<Record<string, unknown>>> = anything.defined();
const pluginName = { pattern: /^(?!__proto__$)/, description: 'the name of a plugin' };

/** Plugin options by the name of the plugin: `{"executor-native": {"grace": 5}}`. */
export function pluginOptions(docs: Docs) {
  const expected = 'a JSON object of objects, such as {"plugin": {"option": 1}}';
  return json(mapOf(options, pluginName), {}, { ...docs, expected });
}

/** Lists of actions by the event that they follow: `{"on_missed": [{"action": "email", "to": "me@example.com"}]}`. */
export function actionLists(docs: Docs) {
  const events = { pattern: /^on_[a-z]+$/, description: `one of ${actionEvents.join(', ')}` };
  const expected = 'a JSON object of lists, such as {"on_missed": [{"action": "disable"}]}';
  return json(mapOf(actionList, events), {}, { ...docs, expected });
}

/** Returns a parser that rejects the texts for which `read` returns undefined. */
function parser<T>(read: (text: string) => T | undefined): (given: unknown) => T {
  return (given) => {
    const value = read(String(given));
    if (value === undefined) throw new WrongValue();
    return value;
  };
}
