import {
  type Actor,
  App,
  type AppInput,
  type AppRow,
  HorariumError,
  type PluginCore,
  type Records,
  RunTemplate,
  type RunTemplateInput,
  type RunTemplateRow,
  type Tables,
  yieldToEventLoop,
} from '@horarium/core/plugin';
import { baseNameOf, retirementNote } from '../lines/crontab-records.ts';
import type { ActionList } from '../lines/mail-of-lines.ts';
import { CrontabSource, type CrontabSourceRow } from './crontab-source.ts';
import type { Boot } from './last-boot.ts';
import { type FormerCrontabLine, isRetired, type LineChange } from './line-change.ts';
import { fieldsFor, isIn } from './line-fields.ts';
import { planSync, type SyncRequest } from './plan-sync.ts';
import type { ZonedCrontab } from './zoned-crontab.ts';

/** How many lines are written at once, so that a database is waited for once for each of their statements. */
const linesAtOnce = 50;

type SyncCore = Pick<PluginCore, 'records' | 'forChannels'>;

/**
 * Makes the run templates of a company those of its crontabs, as `planSync` says. What a crontab does not say stays as it is.
 * @param onProgress is called now and then with the number of lines that are done.
 * @throws HorariumError as `planSync` and the saves of records.
 */
export async function syncCrontabs(
  core: SyncCore,
  actor: Actor,
  tables: Tables,
  request: SyncRequest,
  onProgress: (done: number, total: number) => void,
): Promise<readonly LineChange[]> {
  const changes = await planSync(tables, request);
  const records = new SyncedRecords(core, actor, tables, request);
  for (let from = 0; from < changes.length; from += linesAtOnce) {
    await yieldToEventLoop();
    const some = changes.slice(from, from + linesAtOnce);
    // All of them end before an error ends the transaction.
    const ends = await Promise.allSettled(some.map((change) => naming(change, () => records.apply(change))));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
    onProgress(from + some.length, changes.length);
  }
  await records.writeSources();
  return changes;
}

/** Does the work for a line; what is wrong with it names the line. */
async function naming({ crontab, line }: LineChange, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!line || !(error instanceof HorariumError) || error.code !== 'invalid') throw error;
    throw new HorariumError('invalid', `${crontab.file}, line ${line.entry.line}: ${error.message}`, error.errors);
  }
}

/** Writes the records of a sync. */
class SyncedRecords {
  readonly #core: SyncCore;
  readonly #apps: Records<AppRow, AppInput>;
  readonly #templates: Records<RunTemplateRow, RunTemplateInput>;
  readonly #actor: Actor;
  readonly #tables: Tables;
  readonly #companyId: number;
  readonly #boot: Boot;
  readonly #newSources: Omit<CrontabSourceRow, 'id'>[] = [];
  readonly #changedSources: { readonly row: CrontabSourceRow; readonly set: Partial<CrontabSourceRow> }[] = [];

  constructor(core: SyncCore, actor: Actor, tables: Tables, { companyId, boot }: SyncRequest) {
    this.#core = core;
    this.#apps = core.records(App);
    this.#templates = core.records(RunTemplate);
    this.#actor = actor;
    this.#tables = tables;
    this.#companyId = companyId;
    this.#boot = boot;
  }

  async apply(change: LineChange): Promise<void> {
    const { crontab, line, was } = change;
    if (!line) return was && this.#retire(crontab, was);
    const id = was?.template.id ?? (await this.#add(change));
    if (was && change.result !== 'unchanged') await this.#change(change, was);
    const at_boot = line.template.cron === null ? this.#boot.machine : null;
    // The boot that has been is none to run after.
    const boot_id = at_boot === null ? null : at_boot === was?.source?.at_boot ? was.source.boot_id : this.#boot.id;
    this.#noteSource(id, was, {
      crontab: crontab.source,
      crontab_line: line.entry.line,
      crontab_content: line.content,
      crontab_timezone: crontab.timezone,
      at_boot,
      boot_id,
    });
  }

  /** Writes where the templates come from. */
  async writeSources(): Promise<void> {
    const table = this.#tables.of(CrontabSource);
    if (this.#newSources.length > 0) await table.insert(this.#newSources);
    if (this.#changedSources.length > 0) await table.update(this.#changedSources);
  }

  async #add({ crontab: { file }, line, code, on_failure, names }: LineChange): Promise<number> {
    const app = { ...line?.app, ...(names.app !== undefined && { name: names.app }) };
    const { id: app_id } = await this.#apps.saveIn(this.#tables, this.#actor, app);
    const input = {
      ...line?.template,
      ...(names.template !== undefined && { name: names.template }),
      ...(on_failure && { on_failure }),
      code,
      company_id: this.#companyId,
      app_id,
      note: importNote(file),
    };
    return (await this.#templates.saveIn(this.#tables, this.#actor, input)).id;
  }

  async #change({ crontab: { file }, line, on_failure, names }: LineChange, was: FormerCrontabLine): Promise<void> {
    if (!line) return;
    const { template } = was;
    const fields = fieldsFor(line, was);
    const input = {
      ...fields.template,
      ...(names.template !== undefined && { name: names.template }),
      app_id: await this.#saveApp(fields.app, names.app, was),
      ...(on_failure && { on_failure: await this.#withoutSecrets(on_failure, template) }),
      ...(isRetired(template, file) && { active: true, note: importNote(file) }),
    };
    await this.#templates.saveIn(this.#tables, this.#actor, input, { id: template.id });
  }

  /** Saves the App of a line. One that other templates run too stays as it is, and the line gets one of its own. */
  async #saveApp(
    fields: Partial<AppInput>,
    name: string | undefined,
    { app, isAppShared }: FormerCrontabLine,
  ): Promise<number> {
    if (app && isIn(fields, app) && (isAppShared || name === undefined)) return app.id;
    const id = app && !isAppShared ? { id: app.id } : {};
    const input = { ...fields, ...(name !== undefined && { name }) };
    return (await this.#apps.saveIn(this.#tables, this.#actor, input, id)).id;
  }

  /** Replaces stored actions by what a person would send back, so that their secrets stay as they are. */
  async #withoutSecrets(actions: ActionList, template: RunTemplateRow): Promise<ActionList> {
    const [shown] = await this.#core.forChannels.serialize(RunTemplate, [template], 'item', this.#tables);
    const shownActions = shown?.['on_failure'] as ActionList;
    return actions.map((action) => shownActions[template.on_failure.indexOf(action)] ?? action);
  }

  async #retire(
    { file, source: crontab, timezone: crontab_timezone }: ZonedCrontab,
    was: FormerCrontabLine,
  ): Promise<void> {
    const { template, content: crontab_content } = was;
    const input = { active: false, note: retirementNote(baseNameOf(file)) };
    if (template.active) await this.#templates.saveIn(this.#tables, this.#actor, input, { id: template.id });
    const { at_boot = null, boot_id = null } = was.source ?? {};
    const line = { crontab, crontab_line: null, crontab_content, crontab_timezone };
    this.#noteSource(template.id, was, { ...line, at_boot, boot_id });
  }

  #noteSource(
    record_id: number,
    was: FormerCrontabLine | undefined,
    set: Omit<CrontabSourceRow, 'id' | 'record_id'>,
  ): void {
    const row = was?.source;
    if (!row) this.#newSources.push({ record_id, ...set });
    else if (!isIn(set, row)) this.#changedSources.push({ row, set });
  }
}

function importNote(file: string): string {
  return `Imported from the crontab “${baseNameOf(file)}”.`;
}
