import { yieldToEventLoop } from '../loop/yield-to-event-loop.ts';
import { type ChangeQuota, WrittenBytes } from '../quota/change-quota.ts';
import type { Actor } from '../resource/actor.ts';
import type { AddedFields } from '../resource/added-fields.ts';
import type { Resource } from '../resource/define-resource.ts';
import { secretTable } from '../secret/secret-table.ts';
import type { Hmac } from '../secret/vault.ts';
import { overrideTable, overrideTables, typedTable } from '../store/override-tables.ts';
import type { Store, Table, Tables } from '../store/store.ts';
import type { AnyRow, TableDescription } from '../store/table.ts';
import { AuditLog } from './audit-log.ts';
import { type AuditContext, AuditedTable, auditedFields } from './audited-table.ts';
import { type DryRun, describeConsequences, RolledBack } from './dry-run.ts';
import { type ChangeObserver, ObservedChanges } from './observed-changes.ts';
import { sealInsertedEntries } from './sealer.ts';
import { insertSpans, mayShare, shareEntries } from './shared-entries.ts';
import { type NewEntry, type SignedEntry, signEntry } from './signed-entry.ts';

/** Returns the key that signs entries: the audit key, which every host that writes reads from the store by its vault. */
export type Signer = (tables: Tables) => Promise<Hmac>;

export interface AuditedStoreOptions {
  /** Limits what changes write. @default no limit */
  readonly quota?: ChangeQuota | undefined;
  /** Write what follows from changes, in the transactions that make them. @default none */
  readonly observers?: readonly ChangeObserver[];
}

export interface ChangeOptions {
  /**
   * Whether the change is made also where no more may be changed that day, because it takes what is begun to its end, or
   * takes rights away: a job is claimed, reported or cancelled, a token revoked. It counts all the same. @default false
   */
  readonly beyondQuota?: boolean;
  /** As `TransactionOptions.durable`. @default true */
  readonly durable?: boolean;
  /**
   * Whether its entries are sealed with it, where writers take turns: the sealer would write each a second time. It costs
   * the transaction some statements. @default false
   */
  readonly seals?: boolean;
}

/** A change by an actor who has a limit. */
interface CountedChange {
  readonly actor: Actor;
  /** The rows that it has written. */
  readonly written: WrittenBytes;
  readonly entries: readonly NewEntry[];
  readonly isRefusable: boolean;
}

/**
 * Writes records; nothing else does. What keys and the chain of the audit log need is bookkeeping, which KeyManager and
 * Sealer write to the store itself. Its tables note every change of a record under the actor's name and write the
 * entries, signed, in the same transaction: if they cannot be written, the change does not happen.
 */
export class AuditedStore {
  readonly #store: Store;
  readonly #signer: Signer;
  readonly #quota: ChangeQuota | undefined;
  readonly #observers: readonly ChangeObserver[];
  readonly #listeners: Set<() => void>;

  constructor(
    store: Store,
    signer: Signer,
    { quota, observers = [] }: AuditedStoreOptions = {},
    listeners: Set<() => void> = new Set(),
  ) {
    this.#store = store;
    this.#signer = signer;
    this.#quota = quota;
    this.#observers = observers;
    this.#listeners = listeners;
  }

  /** Returns an audited store over one that takes part in a transaction of others; its commits call back here too. */
  over(store: Store): AuditedStore {
    const options = { quota: this.#quota, observers: this.#observers };
    return new AuditedStore(store, this.#signer, options, this.#listeners);
  }

  /**
   * Runs the work in one transaction; it may be run again, so it must do nothing outside but by `afterCommit`.
   * @throws TooManyRequests when the actor's company may change nothing more today; and what the work throws.
   */
  async transaction<T>(
    actor: Actor,
    work: (tables: Tables) => Promise<T>,
    { beyondQuota = false, durable = true, seals = false }: ChangeOptions = {},
  ): Promise<T> {
    const change = async (tables: Tables) => {
      const written = this.#quota?.limits(actor) ? new WrittenBytes() : null;
      const observed = new ObservedChanges(this.#observers);
      const { audited, entries, sharing } = auditedTables(tables, { actor, written, observed });
      const result = await work(audited);
      await observed.tell(audited);
      if (entries.length > 0) {
        const hmac = await this.#signer(tables);
        const shared = mayShare(actor) ? shareEntries(entries, sharing) : entries;
        const signed: SignedEntry[] = [];
        for (const entry of shared) {
          await yieldToEventLoop();
          signed.push(signEntry(entry, hmac));
        }
        const rows = signed.map(({ entry }) => entry);
        const ids = await tables.of(AuditLog).insert(rows);
        if (seals && tables.serial) await sealInsertedEntries(tables, hmac, signed, ids);
        if (shared.length < entries.length) await insertSpans(tables, rows, ids);
        if (written) await this.#count(tables, { actor, written, entries: rows, isRefusable: !beyondQuota });
      }
      if (entries.length > 0 && this.#listeners.size > 0) tables.afterCommit(() => this.#notify());
      return result;
    };
    return this.#store.transaction(change, { durable });
  }

  /**
   * Runs the work of a change in a transaction and rolls it back, so that nothing is changed and nobody is notified.
   * @throws whatever the change would throw.
   */
  async dryRun<T>(actor: Actor, work: (tables: Tables) => Promise<T>): Promise<DryRun<T>> {
    try {
      return await this.#store.transaction(async (tables): Promise<never> => {
        const written = this.#quota?.limits(actor) ? new WrittenBytes() : null;
        const observed = new ObservedChanges([]);
        const { audited, entries } = auditedTables(tables, { actor, written, observed });
        const result = await work(audited);
        if (written) await this.#count(tables, { actor, written, entries, isRefusable: true });
        throw new RolledBack(result, entries);
      });
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
      return { result: error.result as T, consequences: describeConsequences(error.entries) };
    }
  }

  /** Calls back after each commit of this process that changed a record. @returns a function that ends this. */
  onCommit(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads by a single statement, at the least cost; a second one fails. */
  async readOnce<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#store.transaction(work, { readOnly: true, singleStatement: true });
  }

  /** Reads in one transaction, in which writing fails. */
  async read<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    return this.#store.transaction(work, { readOnly: true });
  }

  /** Counts the rows and entries of a change. A deletion is never refused: the creation of its rows has counted. */
  async #count(tables: Tables, { actor, written, entries, isRefusable }: CountedChange): Promise<void> {
    for (const entry of entries) written.add(entry.company_id, entry);
    const adds = entries.some(({ action }) => action !== 'delete');
    await this.#quota?.count(tables, actor, written, isRefusable && adds);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Wraps tables so that their changes become entries, which are not written yet. */
function auditedTables(tables: Tables, change: Omit<AuditContext, 'tables' | 'entries' | 'now'>) {
  const entries: NewEntry[] = [];
  /** The names of the resources whose changes may share entries. */
  const sharing = new Set<string>();
  const context = { ...change, tables, entries, now: () => tables.now() };
  const recordsOf = (description: TableDescription) => {
    const table = tables.of(description);
    if ((description as Partial<Resource>).sharesEntries) sharing.add(description.name);
    return new AuditedTable(description, description.fields['cipher_key'] ? secretTable(table) : table, context);
  };
  const of = <R extends AnyRow>(description: TableDescription<R>): Table<R> => {
    const table = tables.of<AnyRow>(description);
    if (description.table === AuditLog.table) return typedTable(overrideTable(table, readOnly), description);
    if (description.audited) return typedTable(recordsOf(description), description);
    if ((description as Partial<Resource>).auditsDeletions)
      return typedTable(withAuditedDeletions(table, recordsOf(description)), description);
    const { of: resource } = description as Partial<AddedFields>;
    if (!resource) return typedTable(table, description);
    return typedTable(auditedFields(description as AddedFields, table, recordsOf(resource)), description);
  };
  return { audited: overrideTables(tables, { of, copyOf: refuseCopy }), entries, sharing };
}

/** Returns a table whose deletions are audited, and nothing else. */
function withAuditedDeletions(table: Table, records: AuditedTable): Table {
  return overrideTable(table, { delete: (where) => records.delete(where), purge: (where) => records.purge(where) });
}

function refuseCopy(): never {
  throw new Error('A change of a record is audited, and a copy of a table is not.');
}

const refuse = async (): Promise<never> => {
  throw new Error('Entries of the audit log are written with the change that they record, and by nobody else.');
};
const readOnly: Partial<Table> = {
  insert: refuse,
  insertAbsent: refuse,
  update: refuse,
  updateWhere: refuse,
  delete: refuse,
  purge: refuse,
};
