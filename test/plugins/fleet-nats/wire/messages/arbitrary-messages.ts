import fc from 'fast-check';
import type {
  AgentOrder,
  AgentReport,
  Answer,
  HostsAlive,
  SentAsk,
  SentHeartbeat,
} from '../../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { protocol } from '../../../../../plugins/fleet-nats/wire/messages/protocol.ts';

const id = fc.uuid();
const job = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const count = fc.nat();
const name = fc.string({ minLength: 1, maxLength: 50 });
const text = fc.string({ unit: 'binary', maxLength: 200 });
const milliseconds = fc.nat();
const bytes = fc.uint8Array({ maxLength: 2000 });
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value);
const peer = { version: fc.constant('1.2.3'), protocol: fc.constant(protocol) };
const kind = <const K extends string>(value: K) => fc.constant(value);

const key = fc
  .string({ minLength: 1, maxLength: 20 })
  .filter((given) => /^[^\0=]+$/.test(given) && given !== '__proto__');
const options = fc
  .dictionary(key, fc.oneof(text, fc.integer(), fc.boolean(), fc.array(text, { maxLength: 3 }), fc.constant(null)), {
    noNullPrototype: true,
  })
  .map((given) => given as never);

const attempt = fc.record({
  executable: text,
  arguments: fc.array(text, { maxLength: 5 }),
  stdin: maybe(text),
  environment: fc.dictionary(key, text, { noNullPrototype: true }),
  timeout: maybe(milliseconds),
  options,
  runAs: maybe(name),
  files: fc.array(fc.record({ mark: name, size: count }), { maxLength: 3 }),
  image: maybe(text),
  resultFile: maybe(text),
  artifacts: fc.array(fc.record({ name: text, path: text, type: maybe(text) }), { maxLength: 3 }),
});

export const asks: fc.Arbitrary<SentAsk> = fc.oneof(
  fc.record({
    kind: kind('claim'),
    ...peer,
    id,
    free: fc.nat(1024),
    abandoned: fc.array(id, { maxLength: 5 }),
    instance: id,
    beat: count,
    number: job,
  }),
  fc.record({ kind: kind('file'), ...peer, id, job, claim: id, mark: name, offset: count }),
);

export const answers: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({
    kind: kind('attempts'),
    id,
    attempts: fc.array(fc.record({ job, claim: id, executor: name, attempt }), { maxLength: 3 }),
    more: fc.boolean(),
    lease: milliseconds,
    offlineGrace: milliseconds,
    expiresIn: fc.option(milliseconds),
  }),
  fc.record({ kind: kind('piece'), id, bytes, last: fc.boolean() }),
  fc.record({ kind: kind('refused'), id, reason: text, final: fc.boolean() }),
);

const event = fc.oneof(
  fc.record({ kind: kind('starting') }),
  fc.record({ kind: kind('started'), pid: maybe(count) }),
  fc.record({ kind: kind('output'), stream: fc.constantFrom('stdout', 'stderr'), bytes, cut: fc.boolean() }),
  fc.record({
    kind: kind('progress'),
    progress: maybe(fc.nat(100)),
    message: maybe(text),
  }),
  fc.record({
    kind: kind('file'),
    filename: name,
    contentType: name,
    size: count,
    sha256: fc.stringMatching(/^[0-9a-f]{64}$/),
  }),
  fc.record({ kind: kind('piece'), bytes }),
  fc.record({
    kind: kind('ended'),
    exitCode: maybe(fc.integer()),
    signal: maybe(fc.constantFrom('SIGKILL', 'SIGTERM')),
    timedOut: fc.boolean(),
    lost: fc.boolean(),
    reason: maybe(text),
    peakMemory: maybe(count),
    stopReason: maybe(text),
  }),
);

export const reports: fc.Arbitrary<AgentReport> = fc.record({ job, claim: id, seq: job, age: milliseconds, event });

export const heartbeats: fc.Arbitrary<SentHeartbeat> = fc.record({
  ...peer,
  instance: id,
  beat: job,
  first: count,
  slots: fc.nat(1024),
  labels: fc.dictionary(fc.stringMatching(/^[a-z0-9][a-z0-9._/-]{0,20}$/), text, { noNullPrototype: true }),
  executors: fc.array(name, { maxLength: 5 }),
  draining: fc.boolean(),
  stopped: fc.boolean(),
  running: fc.array(fc.record({ job, claim: id }), { maxLength: 5 }),
});

export const orders: fc.Arbitrary<AgentOrder> = fc.oneof(
  fc.record({ kind: kind('stop'), job, claim: id, reason: text }),
  fc.record({ kind: kind('drain') }),
  fc.record({ kind: kind('undrain') }),
  fc.record({ kind: kind('revoked'), reason: text }),
);

export const signsOfLife: fc.Arbitrary<HostsAlive> = fc.record({ ...peer, host: name });
