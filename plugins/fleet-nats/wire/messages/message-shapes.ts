import { mapOf } from '@horarium/core/plugin';
import { array, boolean, lazy, mixed, number, object, type Schema, string } from 'yup';
import { MessageCodec, maxProse, messageId } from './message-codec.ts';
import {
  type AgentHeartbeat,
  type AgentOrder,
  type AgentReport,
  type Answer,
  type AssignedAttempt,
  type HostsAlive,
  maxPiece,
  type ReportEvent,
  type SentAsk,
  type SentHeartbeat,
} from './messages.ts';

const mebibyte = 1024 * 1024;

/** The maximum size of the body of an answer, which may have attempts with long texts. */
export const maxAnswer = 16 * mebibyte;
/** The maximum size of the body of any other message; it fits into a message of NATS. */
export const maxMessage = mebibyte / 4;

/** Some name or text that is compared, not read. */
const maxName = 255;
const maxPath = 4096;
/** More attempts than a machine runs at once. */
const maxSlots = 1024;

type Kinds<T extends { readonly kind: string }> = {
  readonly [K in T['kind']]: Readonly<Record<Exclude<keyof Extract<T, { kind: K }>, 'kind'>, Schema>>;
};

/** A message of one of several kinds, each described by the fields that it has besides. */
function oneOf<T extends { readonly kind: string }>(kinds: Kinds<T>): Schema<T> {
  const schemas = new Map(Object.entries(kinds).map(([kind, fields]) => [kind, object(fields as never).defined()]));
  const unknown = object({ kind: string().oneOf(Object.keys(kinds)).defined() }).defined();
  return lazy((value: { readonly kind?: string } | undefined) => schemas.get(value?.kind ?? '') ?? unknown) as never;
}

function all<T extends object>(fields: Readonly<Record<keyof T, Schema>>): Schema<T> {
  return object(fields as never).defined() as never;
}

const says =
  (words: string) =>
  ({ path }: { readonly path: string }) =>
    `${path} ${words}`;

const id = string().matches(messageId, says('is no id')).defined();
const whole = (max: number, min = 0) => number().integer().min(min).max(max).defined();
const any = Number.MAX_SAFE_INTEGER;
const job = whole(any, 1);
const name = string().min(1).max(maxName).defined();
const reason = string().max(maxProse).defined();
const text = string().defined();
const flag = boolean().defined();
const milliseconds = number().min(0).max(any).defined();
const bytes = mixed<Uint8Array>((value): value is Uint8Array => value instanceof Uint8Array)
  .test('size', says(`may have at most ${maxPiece} bytes`), (value) => !value || value.length <= maxPiece)
  .defined();
const list = (item: Schema, max: number) =>
  array()
    .of(item as never)
    .max(max, says(`may have at most ${max} items`))
    .defined();
const peer = { version: string().max(64).defined(), protocol: whole(any) };

const key = { pattern: /^[^\0=]+$/, description: 'the name of a variable' };

const attempt = all<AssignedAttempt['attempt']>({
  executable: text,
  arguments: list(text, any),
  stdin: text.nullable(),
  environment: mapOf(text, key, 10_000).defined(),
  timeout: milliseconds.nullable(),
  options: mapOf(mixed<never>().nullable(), { pattern: /^(?!__proto__$)/, description: 'an option' }).defined(),
  runAs: name.nullable(),
  files: list(all<{ mark: string; size: number }>({ mark: name, size: whole(any) }), 1000),
  image: text.nullable(),
  resultFile: text.nullable(),
  artifacts: list(object({ name: text, path: text, type: string().nullable() }), 1000),
});

const assigned = all<AssignedAttempt>({ job, claim: id, executor: name, attempt });

const event = oneOf<ReportEvent>({
  starting: {},
  started: { pid: whole(any).nullable() },
  output: { stream: string().oneOf(['stdout', 'stderr']).defined(), bytes, cut: flag },
  progress: { progress: whole(100).nullable(), message: reason.nullable() },
  file: {
    filename: string().min(1).max(maxPath).defined(),
    contentType: name,
    size: whole(any),
    sha256: string()
      .matches(/^[0-9a-f]{64}$/, says('is no SHA-256'))
      .defined(),
  },
  piece: { bytes },
  ended: {
    exitCode: whole(any, -any).nullable(),
    signal: string().max(32).defined().nullable(),
    timedOut: flag,
    lost: flag,
    reason: reason.nullable(),
    peakMemory: whole(any).nullable(),
    stopReason: reason.nullable(),
  },
});

export const askCodec = new MessageCodec<SentAsk>(
  oneOf<SentAsk>({
    claim: {
      ...peer,
      id,
      free: whole(maxSlots),
      abandoned: list(id, 1000),
      instance: id,
      beat: whole(any),
      number: whole(any, 1),
    },
    file: { ...peer, id, job, claim: id, mark: name, offset: whole(any) },
  }),
  { name: 'A request of an agent', maxSize: maxMessage, sender: 'agent' },
);

export const answerCodec = new MessageCodec<Answer>(
  oneOf<Answer>({
    attempts: {
      id,
      attempts: list(assigned, maxSlots),
      more: flag,
      lease: milliseconds,
      offlineGrace: milliseconds,
      expiresIn: milliseconds.nullable(),
    },
    piece: { id, bytes, last: flag },
    refused: { id, reason, final: flag },
  }),
  { name: 'An answer of a host', maxSize: maxAnswer },
);

export const reportCodec = new MessageCodec<AgentReport>(
  all<AgentReport>({ job, claim: id, seq: whole(any, 1), age: milliseconds, event }),
  { name: 'A report of an agent', maxSize: maxMessage },
);

const label = { pattern: /^[a-z0-9][a-z0-9._/-]{0,62}$/, description: 'the name of a label' };

export const heartbeatCodec = new MessageCodec<SentHeartbeat>(
  all<SentHeartbeat>({
    ...peer,
    instance: id,
    beat: whole(any, 1),
    first: whole(any),
    slots: whole(maxSlots),
    labels: mapOf(string().max(maxName).defined(), label, 64).defined(),
    executors: list(name, 100),
    draining: flag,
    stopped: flag,
    running: list(all<AgentHeartbeat['running'][number]>({ job, claim: id }), maxSlots),
  }),
  { name: 'A heartbeat of an agent', maxSize: maxMessage, sender: 'agent' },
);

export const orderCodec = new MessageCodec<AgentOrder>(
  oneOf<AgentOrder>({
    stop: { job, claim: id, reason },
    drain: {},
    undrain: {},
    replaced: { instance: id },
    revoked: { reason },
  }),
  { name: 'An order of a host', maxSize: maxMessage },
);

export const hostsAliveCodec = new MessageCodec<HostsAlive>(all<HostsAlive>({ ...peer, host: name }), {
  name: 'A sign of life of the hosts',
  maxSize: maxMessage,
  sender: 'host',
});
