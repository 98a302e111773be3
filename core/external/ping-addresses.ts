import type { AuditedStore } from '../audit/audited-store.ts';
import { conflict } from '../errors.ts';
import { authorize, readVisible } from '../resource/access.ts';
import type { Actor } from '../resource/actor.ts';
import { readById } from '../store/rows.ts';
import type { Tables } from '../store/store.ts';
import { RunTemplate, type RunTemplateRow } from '../template/run-template.ts';
import { lockTemplates } from '../template/schedule.ts';
import type { Digests } from '../user/digests.ts';

export interface PingAddressesOptions {
  readonly store: AuditedStore;
  readonly digests: Pick<Digests, 'sha256'>;
  /** The names of the executors whose attempts run elsewhere. */
  readonly executors: ReadonlyMap<string, unknown>;
}

/** A template with the secret of its ping address, of which only a hash is stored. */
export interface PingAddress {
  readonly template: RunTemplateRow;
  readonly uuid: string;
}

/** The addresses by which programs elsewhere report for a template; who knows one needs no other credentials. */
export class PingAddresses {
  readonly #options: PingAddressesOptions;

  constructor(options: PingAddressesOptions) {
    this.#options = options;
  }

  /**
   * Gives a template an address; the one that it had is revoked.
   * @throws HorariumError `not_found`, `denied`, or `conflict` for a template whose jobs workers of the service start.
   */
  async renewIn(tables: Tables, actor: Actor, id: number): Promise<PingAddress> {
    const template = await this.#lock(tables, actor, id);
    if (!this.#options.executors.has(template.executor))
      throw conflict(`RunTemplate ${id} has the executor ${template.executor}: only jobs done elsewhere are pinged.`);
    const uuid = crypto.randomUUID();
    const changed = await this.#set(tables, template, this.#options.digests.sha256(uuid));
    return { template: changed, uuid };
  }

  /** Takes the address from a template; without one, nothing changes. @throws HorariumError `not_found` or `denied`. */
  async revokeIn(tables: Tables, actor: Actor, id: number): Promise<RunTemplateRow> {
    const template = await this.#lock(tables, actor, id);
    return template.ping_hash === null ? template : this.#set(tables, template, null);
  }

  /** Finds the template of an address. */
  async find(uuid: string): Promise<RunTemplateRow | undefined> {
    const hash = this.#options.digests.sha256(uuid.toLowerCase());
    return this.#options.store.read(async (tables) => {
      const [template] = await tables.of(RunTemplate).find({ where: [['ping_hash', '=', hash]], limit: 1 });
      return template;
    });
  }

  async #lock(tables: Tables, actor: Actor, id: number): Promise<RunTemplateRow> {
    await readVisible(tables, actor, RunTemplate, id);
    await lockTemplates(tables, [id], 'wait');
    const template = await readVisible(tables, actor, RunTemplate, id, 'wait');
    await authorize(tables, actor, RunTemplate, template, template);
    return template;
  }

  async #set(tables: Tables, row: RunTemplateRow, ping_hash: string | null): Promise<RunTemplateRow> {
    const pings_since = ping_hash === null ? null : await tables.now();
    await tables.of(RunTemplate).update([{ row, set: { ping_hash, pings_since } }]);
    return readById(tables, RunTemplate, row.id);
  }
}
