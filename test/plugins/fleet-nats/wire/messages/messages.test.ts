import { expect } from 'chai';
import fc from 'fast-check';
import {
  answerCodec,
  askCodec,
  heartbeatCodec,
  hostsAliveCodec,
  orderCodec,
  reportCodec,
} from '../../../../../plugins/fleet-nats/wire/messages/message-shapes.ts';
import { maxPiece } from '../../../../../plugins/fleet-nats/wire/messages/messages.ts';
import { ProtocolRefused, protocol } from '../../../../../plugins/fleet-nats/wire/messages/protocol.ts';
import { answers, asks, heartbeats, orders, reports, signsOfLife } from './arbitrary-messages.ts';

const types = {
  'A request of an agent': { codec: askCodec, examples: asks },
  'An answer of a host': { codec: answerCodec, examples: answers },
  'A report of an agent': { codec: reportCodec, examples: reports },
  'A heartbeat of an agent': { codec: heartbeatCodec, examples: heartbeats },
  'An order of a host': { codec: orderCodec, examples: orders },
  'A sign of life of the hosts': { codec: hostsAliveCodec, examples: signsOfLife },
} as const;

/** A codec whatever the messages are. */
interface AnyCodec {
  encode(message: object): Buffer;
  decode(body: Uint8Array): object;
}

const claim = '0f8fad5b-d9cb-469f-a165-70867728950e';
const peer = { version: '1.2.3', protocol };

/** Encodes without validation, as another program could. */
function bodyOf(head: unknown, bytes: Uint8Array = Buffer.alloc(0)): Buffer {
  const json = Buffer.from(typeof head === 'string' ? head : JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  return Buffer.concat([length, json, bytes]);
}

describe('The messages', () => {
  for (const [name, { codec: typed, examples }] of Object.entries(types)) {
    const codec = typed as unknown as AnyCodec;
    it(`are decoded as they were encoded: ${name}`, () => {
      fc.assert(
        fc.property(examples as fc.Arbitrary<object>, (message) => {
          expect(codec.decode(codec.encode(message))).to.deep.equal(message);
        }),
      );
    });

    it(`are refused in a sentence whatever the bytes are: ${name}`, () => {
      const bodies = fc.oneof(
        fc.uint8Array({ maxLength: 500 }),
        fc.json().map((json) => bodyOf(json)),
        fc
          .record({ kind: fc.constantFrom('claim', 'output', 'attempts', 'stop'), event: fc.anything() })
          .map((each) => bodyOf(each)),
      );
      fc.assert(
        fc.property(bodies, (body) => {
          expect(() => codec.decode(body)).to.throw(new RegExp(`^${name} is refused: [^\\n]{1,500}\\.$`));
        }),
      );
    });

    it(`are refused where a field is missing or of another type: ${name}`, () => {
      fc.assert(
        fc.property(
          examples as fc.Arbitrary<object> as fc.Arbitrary<Record<string, unknown>>,
          fc.nat(),
          fc.boolean(),
          (message, at, isMissing) => {
            const fields = Object.keys(message).filter((field) => field !== 'bytes');
            const field = fields[at % fields.length] as string;
            const changed: Record<string, unknown> = { ...message, [field]: isMissing ? undefined : [{}] };
            delete changed['bytes'];
            if (changed['event']) changed['event'] = { ...(changed['event'] as object), bytes: undefined };
            expect(() => codec.decode(bodyOf(changed)), field).to.throw(`${name} is refused: `);
          },
        ),
      );
    });

    it(`keep what a newer version added: ${name}`, () => {
      fc.assert(
        fc.property(examples as fc.Arbitrary<object>, (message) => {
          fc.pre(!('bytes' in message || 'bytes' in (('event' in message && (message.event as object)) || {})));
          expect(codec.decode(bodyOf({ ...message, added: 1 }))).to.deep.equal({ ...message, added: 1 });
        }),
        { numRuns: 10 },
      );
    });
  }

  it('carry bytes as they are', () => {
    const bytes = new Uint8Array(maxPiece).fill(0xff);
    const event = { kind: 'output', stream: 'stdout', bytes, cut: false } as const;
    const body = reportCodec.encode({ job: 1, claim, seq: 1, age: 0, event });
    expect(body.length - maxPiece).to.be.lessThan(200);
    expect(reportCodec.decode(body).event).to.deep.equal(event);
  });

  it('cut what people read, because a report that is refused would be lost', () => {
    const ended = { exitCode: 1, signal: null, timedOut: false, lost: false, peakMemory: null, stopReason: null };
    const event = { kind: 'ended', ...ended, reason: 'x'.repeat(50_000) } as const;
    const { event: read } = reportCodec.decode(reportCodec.encode({ job: 1, claim, seq: 1, age: 0, event }));
    expect(read).to.deep.equal({ ...event, reason: 'x'.repeat(10_000) });
  });

  it('leave the environment of a program as it is, whatever its variables are called', () => {
    const environment = { reason: 'x'.repeat(50_000), event: 'a', bytes: 'b' };
    const attempt = {
      executable: '/bin/true',
      arguments: [],
      stdin: null,
      environment,
      timeout: null,
      options: {},
      runAs: null,
      files: [],
      image: null,
      resultFile: null,
      artifacts: [],
    };
    const attempts = [{ job: 1, claim, executor: 'native', attempt }];
    const answer = {
      kind: 'attempts',
      id: claim,
      attempts,
      more: false,
      lease: 10_000,
      offlineGrace: 900_000,
      expiresIn: null,
    } as const;
    expect(answerCodec.decode(answerCodec.encode(answer))).to.deep.equal(answer);
  });

  const report = (event: unknown, others = {}) => ({ job: 1, claim, seq: 1, age: 0, event, ...others });
  const output = { kind: 'output', stream: 'stdout', cut: false };
  const file = { kind: 'file', filename: 'a', contentType: 'text/plain', size: 1, sha256: 'a'.repeat(64) };
  const ask = { kind: 'claim', ...peer, id: claim, free: 1, abandoned: [], instance: claim, beat: 1, number: 1 };
  const sent = { instance: claim, beat: 1, first: 0 };
  const heartbeat = {
    ...peer,
    ...sent,
    slots: 1,
    labels: {},
    executors: [],
    draining: false,
    stopped: false,
    running: [],
  };

  for (const [what, codec, body, reason] of [
    ['no bytes', reportCodec, Buffer.alloc(0), 'it is cut off'],
    ['three bytes', reportCodec, Buffer.alloc(3), 'it is cut off'],
    ['a length beyond its end', reportCodec, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x7b]), 'it is cut off'],
    ['text that is not UTF-8', reportCodec, bodyOf('\\').fill(0xff, 4), 'it is not JSON'],
    ['text that is not JSON', reportCodec, bodyOf('{'), 'it is not JSON'],
    ['lists in lists', reportCodec, bodyOf('['.repeat(100_000)), 'it is not JSON'],
    ['a list', reportCodec, bodyOf([]), 'it is not an object'],
    ['null', askCodec, bodyOf(null), 'it is not an object'],
    ['too many bytes', reportCodec, Buffer.alloc(262_145), 'it has 262145 bytes, and may have at most 262144'],
    ['an unknown kind', askCodec, bodyOf({ ...ask, kind: 'delete' }), 'kind must be one of claim, file'],
    ['no kind', askCodec, bodyOf({ ...ask, kind: undefined }), 'kind is required'],
    ['a kind that objects have', askCodec, bodyOf({ ...ask, kind: 'constructor' }), 'kind must be one of claim, file'],
    ['no id', askCodec, bodyOf({ ...ask, id: undefined }), 'id is required'],
    ['an id that is none', askCodec, bodyOf({ ...ask, id: 'a b' }), 'id is no id'],
    ['too many slots', askCodec, bodyOf({ ...ask, free: 1025 }), 'free must be less than or equal to 1024'],
    ['fewer slots than none', askCodec, bodyOf({ ...ask, free: -1 }), 'free must be greater than or equal to 0'],
    ['half a slot', askCodec, bodyOf({ ...ask, free: 0.5 }), 'free must be an integer'],
    [
      'too many abandoned claims',
      askCodec,
      bodyOf({ ...ask, abandoned: Array(1001).fill(claim) }),
      'abandoned may have at most 1000 items',
    ],
    [
      'a job that is none',
      reportCodec,
      bodyOf(report({ kind: 'started', pid: 1 }, { job: 0 })),
      'job must be greater than or equal to 1',
    ],
    ['no event', reportCodec, bodyOf(report(undefined)), 'event is required'],
    ['an event that is none', reportCodec, bodyOf(report('started')), 'event must be an object'],
    [
      'an event of unknown kind',
      reportCodec,
      bodyOf(report({ kind: 'deleted' })),
      'event.kind must be one of starting, started, output, progress, file, piece, ended',
    ],
    [
      'an unknown stream',
      reportCodec,
      bodyOf(report({ ...output, stream: 'stdin' }), Buffer.from('x')),
      'event.stream must be one of stdout, stderr',
    ],
    [
      'too long output',
      reportCodec,
      bodyOf(report(output), Buffer.alloc(maxPiece + 1)),
      'event.bytes may have at most 131072 bytes',
    ],
    [
      'bytes that follow a kind without',
      reportCodec,
      bodyOf(report({ kind: 'started', pid: 1 }), Buffer.from('x')),
      'bytes follow it, which its kind does not have',
    ],
    [
      'a name that is too long',
      reportCodec,
      bodyOf(report({ ...file, filename: 'a'.repeat(4097) })),
      'event.filename must be at most 4096 characters',
    ],
    [
      'a digest that is none',
      reportCodec,
      bodyOf(report({ ...file, sha256: 'A'.repeat(64) })),
      'event.sha256 is no SHA-256',
    ],
    [
      'a part of a percent, which the store does not take',
      reportCodec,
      bodyOf(report({ kind: 'progress', progress: 33.5, message: null })),
      'event.progress must be an integer',
    ],
    [
      'progress beyond its end',
      reportCodec,
      bodyOf(report({ kind: 'progress', progress: 101, message: null })),
      'event.progress must be less than or equal to 100',
    ],
    [
      'a long reason',
      orderCodec,
      bodyOf({ kind: 'revoked', reason: 'x'.repeat(10_001) }),
      'reason must be at most 10000 characters',
    ],
    [
      'a label that is none',
      heartbeatCodec,
      bodyOf({ ...heartbeat, labels: { 'A=b': 'c' } }),
      'labels.A=b is not the name of a label',
    ],
    [
      'a label whose value is too long',
      heartbeatCodec,
      bodyOf({ ...heartbeat, labels: { a: 'b'.repeat(256) } }),
      'labels.a must be at most 255 characters',
    ],
    [
      'more labels than there may be',
      heartbeatCodec,
      bodyOf({ ...heartbeat, labels: Object.fromEntries(Array.from({ length: 65 }, (_, at) => [`l${at}`, ''])) }),
      'labels may have at most 64 keys',
    ],
    ['no protocol', heartbeatCodec, bodyOf({ ...heartbeat, protocol: undefined }), 'protocol is required'],
    ['no version', hostsAliveCodec, bodyOf({ protocol, host: 'a' }), 'version is required'],
    ['a host without name', hostsAliveCodec, bodyOf({ ...peer, host: '' }), 'host must be at least 1 characters'],
  ] as const)
    it(`are refused with ${what}`, () => {
      expect(() => codec.decode(body)).to.throw(`is refused: ${reason}.`);
    });

  it('are refused by their sender where the other side would refuse them', () => {
    const event = { kind: 'output', stream: 'stdout', bytes: new Uint8Array(maxPiece + 1), cut: false } as const;
    expect(() => reportCodec.encode({ job: 1, claim, seq: 1, age: 0, event })).to.throw(
      'A report of an agent is refused: event.bytes may have at most 131072 bytes.',
    );
  });

  it('do not show a value that is of another type, which may be a secret', () => {
    expect(() => askCodec.decode(bodyOf({ ...ask, free: 'hunter2' }))).to.throw('free must be a number.');
  });

  it('are refused from an older agent, by the id of its request, so that it is answered', () => {
    const body = bodyOf({ kind: 'join', id: claim, version: '0.9.0', protocol: 0 });
    const sentence =
      'The agent runs version 0.9.0, which speaks protocol 0; the host understands 1: upgrade the agent.';
    expect(() => askCodec.decode(body))
      .to.throw(ProtocolRefused, sentence)
      .with.property('id', claim);
  });

  it('are refused from a newer agent and from a newer host, with what is to be upgraded', () => {
    expect(() => heartbeatCodec.decode(bodyOf({ version: '9.0.0', protocol: 9 }))).to.throw(
      'The agent runs version 9.0.0, which speaks protocol 9; the host understands 1: upgrade the host first.',
    );
    expect(() => hostsAliveCodec.decode(bodyOf({ version: '9.0.0', protocol: 9 }))).to.throw(
      'The host runs version 9.0.0, which speaks protocol 9; the agent understands 1: upgrade the agent first.',
    );
    expect(() => hostsAliveCodec.decode(bodyOf({ version: '0.9.0', protocol: 0 }))).to.throw(
      'The host runs version 0.9.0, which speaks protocol 0; the agent understands 1: upgrade the host.',
    );
  });
});
