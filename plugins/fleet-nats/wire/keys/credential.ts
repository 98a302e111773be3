import { createHash } from 'node:crypto';
import { fieldErrors, isPlainObject } from '@horarium/core/plugin';
import { array, object, string } from 'yup';
import { requiresTls, serverUrl } from '../nats/servers.ts';
import { fleetName, subjectPrefix } from '../subjects.ts';
import { WireError } from '../wire-error.ts';
import { PrivateKeys, PublicKeys } from './keys.ts';

/** What a machine joins with: it is good for the pools of one agent and nothing else. */
export interface AgentCredential {
  readonly agent: string;
  readonly pools: readonly string[];
  /** The URLs of the NATS servers. */
  readonly servers: readonly string[];
  readonly prefix: string;
  readonly keys: PrivateKeys;
  /** Those by which the agent knows the hosts of its service. */
  readonly hosts: PublicKeys;
  /** The JWT of its user, where NATS runs in operator mode. */
  readonly jwt: string | null;
}

/** The beginning of the text, so that scanners for leaked secrets know it; the digit is the version of its format. */
const beginning = 'hora_1_';

const checksumLength = 16;
/** More than the credential of an agent with a hundred pools has. */
const maxLength = 65_536;

const says =
  (words: string) =>
  ({ path }: { readonly path: string }) =>
    `${path} ${words}`;

const urls = 'is no URL of a NATS server: nats://NAME:PORT or tls://NAME:PORT';
const key = string().max(58).defined();
const schema = object({
  agent: string().matches(fleetName, says('is no name of an agent')).defined(),
  pools: array()
    .of(string().matches(fleetName, says('is no name of a pool')).defined())
    .min(1, says('must name at least one'))
    .max(100)
    .defined(),
  servers: array()
    .of(string().matches(serverUrl, says(urls)).defined())
    .min(1, says('must name at least one'))
    .max(100)
    .defined(),
  prefix: string().matches(subjectPrefix, says('is no prefix of subjects')).defined(),
  seeds: object({ signing: key, sealing: key }),
  hosts: object({ signing: key, sealing: key }),
  jwt: string().max(32_768).defined().nullable(),
});

/** Writes a credential as one line, which ends with a checksum. It is a secret. */
export function encodeCredential({ keys, hosts, ...others }: AgentCredential): string {
  const body = Buffer.from(JSON.stringify({ ...others, seeds: keys.seeds(), hosts: hosts.texts })).toString(
    'base64url',
  );
  return `${beginning}${body}${checksum(body)}`;
}

/** Reads a credential; spaces and line breaks in it do not count. @throws WireError with what is wrong with the text. */
export function decodeCredential(text: string): AgentCredential {
  if (text.length > maxLength) throw new WireError(`The credential has more than ${maxLength} characters.`);
  const line = text.replaceAll(/\s/g, '');
  if (line === '') throw new WireError('The credential is empty.');
  const [, format, body = '', sum] = /^hora_(\d{1,3})_([\w-]*)([\w-]{16})$/.exec(line) ?? [];
  if (line.startsWith('hora_') && format !== undefined && `hora_${format}_` !== beginning)
    throw new WireError(`The credential has the format ${format}, which this version of Horarium does not know.`);
  if (!line.startsWith(beginning))
    throw new WireError(`The credential is not that of an agent: it must begin with ${beginning}.`);
  if (sum === undefined || checksum(body) !== sum)
    throw new WireError('The credential is cut off or changed: copy the whole text that agent:enroll printed.');
  const { seeds, hosts, ...others } = contentOf(body);
  requiresTls(others.servers);
  return { ...others, keys: new PrivateKeys(seeds), hosts: new PublicKeys(hosts) };
}

function contentOf(body: string) {
  try {
    const content: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    if (!isPlainObject(content)) throw new SyntaxError();
    return schema.validateSync(content, { strict: true });
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'it is no JSON object' : fieldErrors('it', error)[0]?.message;
    throw new WireError(`The content of the credential is wrong: ${reason}.`);
  }
}

function checksum(body: string): string {
  return createHash('sha256').update(beginning).update(body).digest('base64url').slice(0, checksumLength);
}
