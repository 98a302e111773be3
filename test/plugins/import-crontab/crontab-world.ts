import {
  App,
  AuditLog,
  Company,
  Job,
  preparePlugin,
  RunTemplate,
  systemClock,
  text,
  trustedActor,
} from '@horarium/core';
import { type CompanyRow, defineAction } from '@horarium/core/plugin';
import { addFields } from '#core/resource/added-fields';
import { contribute } from '#core/resource/contribute';
import { allResources } from '#core/resources';
import emailPlugin from '../../../plugins/action-email/plugin.ts';
import { runAtBoot } from '../../../plugins/import-crontab/boot/run-at-boot.ts';
import { readTemplates } from '../../../plugins/import-crontab/export/read-templates.ts';
import { writeCrontab } from '../../../plugins/import-crontab/export/write-crontab.ts';
import { type CrontabFile, readCrontabs } from '../../../plugins/import-crontab/lines/read-crontabs.ts';
import { CrontabSource } from '../../../plugins/import-crontab/sync/crontab-source.ts';
import { syncCrontabs } from '../../../plugins/import-crontab/sync/sync-crontabs.ts';
import { MemoryCore } from '../../support/worlds/memory-core.ts';

export const actor = trustedActor('tester');
export const readOptions = { mailRefusal: null, isForbidden: () => false };

export function crontabFile(
  text: string,
  { file = 'tab', system = false, owner = null }: Partial<CrontabFile> = {},
): CrontabFile {
  return { file, text, system, owner, source: `web1:/etc/${file}` };
}

interface Tab {
  readonly file?: string;
  readonly company?: string;
  readonly system?: boolean;
  readonly timezone?: string | null;
  /** The time zone of the machine that runs it. */
  readonly machineTimezone?: string;
  readonly isTakenOver?: boolean;
  /** The id of the last boot of the machine. */
  readonly boot?: string;
}

/** A core in memory whose company `acme` has run templates that follow crontabs of the machine `web1`. */
export class CrontabWorld {
  readonly core: MemoryCore;

  private constructor(core: MemoryCore) {
    this.core = core;
  }

  /** Mails can be sent there, and there is an action `hook` with a secret. */
  static async open(options: { readonly maxTemplates?: number } = {}): Promise<CrontabWorld> {
    const core = new MemoryCore({ resources: contribute(allResources, [addFields(CrontabSource)]), ...options });
    const { setup } = preparePlugin(emailPlugin, { host: 'mail.example.com' }, systemClock);
    const hook = defineAction({
      name: 'hook',
      options: { token: text(64, { secret: 'encrypted' }) },
      deliver: async () => ({}),
    });
    for (const action of [...(emailPlugin.actions?.(setup as never) ?? []), hook])
      core.actions.set(action.name, action);
    Object.assign(core.executor, { options: { user: text(32), directory: text(4096) } });
    await core.records('Company').save(actor, { code: 'acme', name: 'Acme' });
    return new CrontabWorld(core);
  }

  /** Syncs a crontab. @returns what became of each line, with the code of its template. */
  async sync(
    crontab: string,
    { file = 'tab', company = 'acme', system = false, timezone = null, boot = 'first', ...machine }: Tab = {},
  ): Promise<string[]> {
    const { core } = this;
    const isForbidden = (name: string) => core.refusals.variable(name) !== null;
    const given = { ...readOptions, isForbidden };
    const { crontabs } = readCrontabs([{ ...crontabFile(crontab, { file, system }), ...machine }], given);
    const [row] = await core.store.read((tables) => tables.of(Company).find({ where: [['code', '=', company]] }));
    const request = {
      companyId: row?.id as number,
      crontabs,
      sendsMail: true,
      boot: { machine: 'web1', id: boot },
      timezone,
      serviceTimezone: core.timezone,
    };
    const changes = await core.store.transaction(actor, (tables) =>
      syncCrontabs(core, actor, tables, request, () => undefined),
    );
    return changes.map(({ result, code }) => `${result} ${code}`);
  }

  /** Writes a crontab of all active templates, or of those that come from one. */
  async export({ system = false, crontab = null }: { system?: boolean; crontab?: string | null } = {}) {
    const ids = (await this.templates()).filter((row) => row.active).map(({ id }) => id);
    const exported = await this.core.store.read(async (tables) => {
      const [company] = await tables.of(Company).find({ where: [['code', '=', 'acme']] });
      return readTemplates(tables, company as CompanyRow, ids, crontab);
    });
    return writeCrontab(exported, { system, user: 'root', timezone: this.core.timezone });
  }

  templates() {
    return this.core.store.read((tables) => tables.of(RunTemplate).find({ order: [['id', 'asc']] }));
  }

  apps() {
    return this.core.store.read((tables) => tables.of(App).find({ order: [['id', 'asc']] }));
  }

  audit() {
    return this.core.store.read((tables) => tables.of(AuditLog).find());
  }

  /** The names of the templates that are active. */
  async active(): Promise<string[]> {
    return (await this.templates()).filter((row) => row.active).map(({ name }) => name);
  }

  /** The ids of the templates of all jobs. */
  async jobs(): Promise<(number | null)[]> {
    const jobs = await this.core.store.read((tables) => tables.of(Job).find());
    return jobs.map(({ runtemplate_id }) => runtemplate_id);
  }

  /** Starts the service after a boot of a machine. */
  startAfter(id: string, machine = 'web1') {
    return runAtBoot(this.core, { machine, id });
  }
}
