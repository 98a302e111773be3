import {
  type Actor,
  App,
  type AuditArchive,
  AuditLog,
  allTables,
  Company,
  Job,
  MemoryStore,
  type Milliseconds,
  RunTemplate,
  type Store,
  Topic,
  trustedActor,
} from '@horarium/core';
import { StandingClock } from '@horarium/core/contracts';
import { ArchivePass } from '#core/audit/archive/archive-pass';
import { AuditedStore } from '#core/audit/audited-store';
import type { Head } from '#core/audit/chain';
import { Sealer } from '#core/audit/sealer';
import { type Verification, verifyAudit } from '#core/audit/verify';
import { newRow } from '#core/store/table';
import { testHmac, testSigner } from '../secrets/test-hmac.ts';

/** What somebody writes into the audit log past the service. */
export type ForgedEntry = Partial<Parameters<typeof newRow<AuditRow>>[1]>;
type AuditRow = NonNullable<(typeof AuditLog)['$row']>;

/** A store with the audited store and the sealer on top of it, and somebody who writes past both. */
export class AuditWorld {
  readonly clock: StandingClock;
  readonly store: Store;
  readonly audited: AuditedStore;
  /** The ids of the entries that the sealer reported, in order. */
  readonly forged: number[] = [];
  #topicCount = 0;
  #forgedCount = 0;

  /** @param store whose clock is that of the world. @default in memory, without a tripwire, because entries are forged */
  constructor({ clock = new StandingClock(), store }: { clock?: StandingClock; store?: Store } = {}) {
    this.clock = clock;
    this.store = store ?? new MemoryStore({ tables: allTables, clock });
    this.audited = new AuditedStore(this.store, testSigner);
  }

  newSealer(): Sealer {
    const onForged = (ids: readonly number[]) => void this.forged.push(...ids);
    return new Sealer({ store: this.store, hmac: async () => testHmac, onForged });
  }

  /** Creates topics in one transaction, each with its entry. */
  async write(count: number): Promise<void> {
    await this.audited.transaction(trustedActor('anna'), (tables) =>
      tables.of(Topic).insert(Array.from({ length: count }, () => newRow(Topic, { name: `${++this.#topicCount}` }))),
    );
  }

  /** Creates jobs in one transaction of the actor. @returns their ids */
  async writeJobs(actor: Actor, count: number): Promise<number[]> {
    const { app_id, company_id, runtemplate_id } = await this.#owners();
    const job = newRow(Job, { runtemplate_id, app_id, company_id, scheduled_at: this.clock.at });
    return this.audited.transaction(actor, (tables) => tables.of(Job).insert(Array.from({ length: count }, () => job)));
  }

  /** Returns the records that jobs belong to; creates them once. */
  async #owners() {
    return this.audited.transaction(trustedActor('anna', 'cli'), async (tables) => {
      const [existing] = await tables.of(RunTemplate).find({ limit: 1 });
      if (existing) return { ...existing, runtemplate_id: existing.id };
      const [app_id] = (await tables.of(App).insert([newRow(App, { name: 'a', executable: 'a', uuid: 'a' })])) as [
        number,
      ];
      const [company_id] = (await tables.of(Company).insert([newRow(Company, { code: 'a', name: 'a' })])) as [number];
      const template = newRow(RunTemplate, { name: 'a', app_id, company_id, interval: 'none', timezone: 'UTC' });
      const [runtemplate_id] = (await tables.of(RunTemplate).insert([template])) as [number];
      return { app_id, company_id, runtemplate_id };
    });
  }

  /** Creates topics and seals their entries. */
  async writeSealed(count: number): Promise<void> {
    await this.write(count);
    await this.seal();
  }

  /** Lets a sealer that knows nothing yet seal all that is there. */
  async seal(sealer = this.newSealer()): Promise<void> {
    while ((await sealer.tick()) === 0);
  }

  /** Inserts an entry past the service. @returns its id. */
  async insert(given: ForgedEntry = {}): Promise<number> {
    const number = ++this.#forgedCount;
    const changes = { enabled: [true, false] } as const;
    const row = {
      created_at: this.clock.at,
      channel: 'http',
      actor: 'anna',
      action: 'update',
      entity_type: 'App',
    } as const;
    const entry = { ...row, entity_id: 1, changes, nonce: `nonce ${number}`, mac: '0'.repeat(64), ...given };
    const [id] = await this.store.transaction((tables) => tables.of(AuditLog).insert([newRow(AuditLog, entry)]));
    return id as number;
  }

  entries(): Promise<AuditRow[]> {
    return this.store.transaction((tables) => tables.of(AuditLog).find({ order: [['id', 'asc']] }), { readOnly: true });
  }

  verify(
    noted?: Head,
    archive?: AuditArchive | null,
    onProgress?: (checked: number, total: number) => void,
  ): Promise<Verification> {
    return verifyAudit(this.store, testHmac, { noted, archive, ...(onProgress && { onProgress }) });
  }

  /** Begins to move the entries that were made before a time to an archive. */
  newArchivePass(archive: AuditArchive, before: number = Infinity, slack: Milliseconds = 0): ArchivePass {
    const { store } = this;
    return new ArchivePass({ store, hmac: async () => testHmac, archive }, { before, slack });
  }

  /** Moves the entries that were made before a time to an archive. @returns how many they are. */
  async archive(archive: AuditArchive, before?: number): Promise<number> {
    const pass = this.newArchivePass(archive, before);
    while (await pass.step());
    return pass.leftCount;
  }

  advance(time: Milliseconds): void {
    this.clock.at += time;
  }
}
