import { createHash } from 'node:crypto';
import { MemoryStore, type Store, systemClock } from '@horarium/core';
import {
  type Clause,
  clockContract,
  eventSourceContract,
  formatContract,
  type MakeVault,
  passwordHasherContract,
  StandingClock,
  sampleTables,
  storeContract,
  vaultContract,
} from '@horarium/core/contracts';
import { NodeVault } from '@horarium/core/node';
import type { EventSourceKind, Format } from '@horarium/core/plugin';
import { expect } from 'chai';
import { formatCsv } from '../../plugins/format-csv/format-csv.ts';
import { formatJson } from '../../plugins/format-json/format-json.ts';
import { violations } from '../support/mocha/violations.ts';
import { QuickHasher } from '../support/secrets/quick-hasher.ts';

describe('The published contracts', () => {
  const brokenFormats: readonly (readonly [what: string, broken: Partial<Format>, violation: RegExp])[] = [
    [
      'a format whose suffix begins with a dot',
      { suffix: '.json' },
      /^A suffix must be letters and digits.*it was "\.json"$/,
    ],
    [
      'a format with a malformed content type',
      { mime: 'json' },
      /^A content type must look like text\/plain; it was "json"$/,
    ],
    [
      'a format that loses data',
      { write: () => '{}' },
      /^A response that is read back must be the data that was written; it was \{\}$/,
    ],
    [
      'a format that changes the data it is given',
      { write: (value) => String(Object.assign(value as object, { a: 1 })) },
      /read only|not extensible/,
    ],
    [
      'a format that writes the same data differently each time',
      { write: () => String(Math.random()) },
      /^Two responses with the same data/,
    ],
    [
      'a format that adds a header with a line break',
      { headers: () => ({ 'X-A': 'b\nc' }) },
      /^A header must be plain text in one line/,
    ],
    [
      'a format that ends a list too early',
      {
        writeList: () =>
          (async function* () {
            yield '[]';
          })(),
      },
      /^A response that is read back/,
    ],
  ];
  for (const [what, broken, violation] of brokenFormats)
    it(`reject ${what}`, async () => {
      const found = await violations(
        formatContract({ ...formatJson, ...broken }, { read: (text) => JSON.parse(text) }),
      );
      expect(
        found.some((each) => violation.test(each)),
        found.join('\n'),
      ).to.equal(true);
    });

  const brokenStreams: readonly (readonly [what: string, writeList: NonNullable<Format['writeList']>])[] = [
    [
      'ends after its first page',
      async function* (pages, context) {
        for await (const piece of formatCsv.writeList?.(pages, context) ?? []) {
          yield piece;
          return;
        }
      },
    ],
    [
      'repeats the header on every page',
      async function* (pages, context) {
        for await (const rows of pages) yield formatCsv.write(rows, context);
      },
    ],
  ];
  for (const [what, writeList] of brokenStreams)
    it(`reject a streamed list that ${what}, though no response is read back`, async () => {
      const found = await violations(formatContract({ ...formatCsv, writeList }, { streamsAsWritten: true }));
      expect(found).to.have.length(1);
      expect(found[0]).to.include('A streamed list must be the text that write returns for all its rows; it was');
    });

  it('reject a streamed list that is empty, whatever the traits', async () => {
    const silent: Format = { ...formatCsv, async *writeList() {} };
    expect(await violations(formatContract(silent))).to.deep.equal([
      'writeList must write something for a list without rows, unless fixtures say that it writes what write does (streamsAsWritten)',
    ]);
    expect(await violations(formatContract(silent, { streamsAsWritten: true }))).to.have.length(1);
  });

  it('reject a clock that does not sleep', async () => {
    const clock = { ...systemClock, sleep: async () => undefined };
    const pass = (milliseconds: number) => systemClock.sleep(milliseconds);
    const [tooShort, early, ...others] = await violations(clockContract(clock, pass));
    expect(tooShort).to.match(/^sleep\(15\) must last 15 ms at least/);
    expect([early, ...others]).to.deep.equal(['A sleep must not end before its time']);
  });

  it('reject a clock that sleeps on when the signal aborts', async () => {
    const clock = { ...systemClock, sleep: (duration: number) => systemClock.sleep(Math.min(duration, 100)) };
    const found = await violations(clockContract(clock, (milliseconds) => systemClock.sleep(milliseconds)));
    expect(found).to.deep.equal(['A sleep must end at once when its signal aborts']);
  });

  it('reject a clock that counts more time as waiting for a processor than passes', async () => {
    const clock = { ...systemClock, cpuDelay: () => 2 * systemClock.elapsed() };
    const found = await violations(clockContract(clock, (milliseconds) => systemClock.sleep(milliseconds)));
    expect(found).to.have.length(1);
    expect(found[0]).to.match(/^cpuDelay\(\) must go no faster than elapsed\(\)/);
  });

  it('reject a password hasher that accepts every password', async () => {
    const hasher = { ...new QuickHasher(), hash: async (text: string) => `#${text}`, verify: async () => true };
    const found = await violations(passwordHasherContract({ ...hasher, needsRehash: () => false }, 'weak'));
    expect(found).to.deep.equal([
      'A hash must not contain the password; it was "#correct horse battery"',
      'Two hashes of one password must differ; it was "#correct horse battery"',
      'It must be false; it was true',
      'It must be true; it was false',
    ]);
  });

  it('reject a vault that encrypts a text the same way twice, whatever the context', async () => {
    const make: MakeVault = (...names) => {
      const vault = new NodeVault(names.map((name) => createHash('sha256').update(name).digest('base64')).join(','));
      const seen = new Map<string, string>();
      const encrypt = (text: string) => seen.get(text) ?? vault.encrypt(text, '');
      return {
        fingerprint: vault.fingerprint,
        fingerprints: vault.fingerprints,
        encrypt: (text) => {
          seen.set(text, encrypt(text));
          return seen.get(text) as string;
        },
        decrypt: (ciphertext) => vault.decrypt(ciphertext, ''),
        keyOf: (ciphertext) => vault.keyOf(ciphertext),
        signingKey: (purpose) => vault.signingKey(purpose),
        hmac: (key) => vault.hmac(key),
      };
    };
    const found = await violations(vaultContract(make));
    expect(found).to.have.length(2);
    expect(found[0]).to.match(/^Two ciphertexts of one text must differ/);
    expect(found[1]).to.equal('The message must be "string"; it was "undefined"');
  });

  it('reject a store that forgets that a transaction is read-only, and one that commits what fails', async () => {
    const clock = new StandingClock();
    const store = new MemoryStore({ tables: sampleTables, clock });
    const violated = async (broken: Store): Promise<string[]> => {
      const titles: string[] = [];
      for (const { title, check } of storeContract(() => ({ store: broken, clock })))
        await check().catch(() => titles.push(title));
      return titles;
    };
    const broken = (transaction: Store['transaction']): Store => ({
      kind: store.kind,
      transaction,
      close: async () => {},
    });
    expect(await violated(broken((work, options) => store.transaction(work, options)))).to.deep.equal([]);
    expect(await violated(broken((work) => store.transaction(work)))).to.include(
      'a transaction rejects writes and locks when it is read-only',
    );
    const commits: Store['transaction'] = async (work, options) => {
      let failure: unknown;
      const result = await store.transaction(
        (tables) =>
          work(tables).catch((error) => {
            failure = error;
          }),
        options,
      );
      if (failure) throw failure;
      return result as never;
    };
    expect(await violated(broken(commits))).to.include(
      'a transaction rolls back when the work throws, and throws the same error',
    );
  });
});

describe('The contract of event sources', () => {
  /** What a probe sees of its source. */
  interface Source {
    readonly state: unknown;
    readonly events: string[];
    /** Rejects when the signal aborts. */
    readonly aborted: Promise<never>;
    connect(): void;
    disconnect(): void;
  }

  /** Returns the clauses for a kind with that probe, whose sources are in memory. */
  function clausesFor(probe: (source: Source) => Promise<void>): readonly Clause[] {
    const make = () => {
      const events = ['a', 'b'];
      let connections = 0;
      const kind: EventSourceKind = {
        name: 'memory',
        options: {},
        async probe({ state }, signal) {
          const { promise: aborted, reject } = Promise.withResolvers<never>();
          aborted.catch(() => undefined);
          signal.addEventListener('abort', () => reject(new Error('the probe was aborted')));
          const connect = () => void connections++;
          await probe({ state, events, aborted, connect, disconnect: () => void connections-- });
        },
      };
      return {
        kind,
        readable: { state: 'readable' },
        unreadable: [{ state: 'unreadable' }],
        unresponsive: [{ state: 'unresponsive' }],
        events: async () => [...events],
        connections: () => connections,
      };
    };
    return eventSourceContract(make, new PassingClock(), { isRead: false });
  }

  async function soundProbe({ state, aborted, connect, disconnect }: Source): Promise<void> {
    connect();
    try {
      if (state === 'unreadable') throw new Error('there is no such table');
      if (state === 'unresponsive') await aborted;
    } finally {
      disconnect();
    }
  }

  it('accepts a kind that fulfils it', async () => {
    expect(await violations(clausesFor(soundProbe))).to.deep.equal([]);
  });

  const forever = new Promise<never>(() => {});
  const brokenProbes: readonly (readonly [what: string, probe: (source: Source) => Promise<void>, found: string[]])[] =
    [
      [
        'resolves though its events cannot be read',
        async (source) => {
          if (source.state !== 'unreadable') await soundProbe(source);
        },
        ['A probe must reject when events cannot be read'],
      ],
      [
        'rejects with a text',
        (source) => soundProbe(source).catch(({ message }) => Promise.reject(message)),
        ['A probe must reject with an Error; it was "there is no such table"'],
      ],
      [
        'rejects with a code',
        (source) => soundProbe(source).catch(() => Promise.reject(new Error('ENOENT'))),
        ['The message must be a sentence on one line; it was "ENOENT"'],
      ],
      [
        'rejects with a message of several lines',
        (source) => soundProbe(source).catch(() => Promise.reject(new Error('there is\nno such table'))),
        ['The message must be a sentence on one line; it was "there is\\nno such table"'],
      ],
      [
        'consumes an event',
        async (source) => {
          await soundProbe(source);
          source.events.shift();
        },
        ['A probe must leave every event as it was; it was []'],
      ],
      [
        'leaves its connection open',
        (source) => soundProbe({ ...source, disconnect: () => {} }),
        ['A probe must close its connection', 'A probe must close its connection'],
      ],
      [
        'leaves its connection open only when its signal aborts',
        (source) => soundProbe({ ...source, ...(source.state === 'unresponsive' && { disconnect: () => {} }) }),
        ['A probe must close its connection'],
      ],
      [
        'ignores its signal',
        (source) => soundProbe({ ...source, aborted: forever }),
        ['A probe must settle when its signal aborts'],
      ],
      [
        'resolves when its source does not respond',
        (source) =>
          soundProbe(source).catch((error) => (source.state === 'unreadable' ? Promise.reject(error) : undefined)),
        ['A probe must reject when its source does not respond'],
      ],
      [
        'waits without a connection',
        (source) => (source.state === 'unresponsive' ? forever : soundProbe(source)),
        ['A probe must connect'],
      ],
    ];
  for (const [what, probe, found] of brokenProbes)
    it(`rejects a kind whose probe ${what}`, async () => {
      expect(await violations(clausesFor(probe))).to.deep.equal(found);
    });
});

/** A clock that sleeping advances, without taking time. */
class PassingClock extends StandingClock {
  override async sleep(duration = 0): Promise<void> {
    this.at += duration;
  }
}
