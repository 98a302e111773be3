import { App, type AppRow, RunTemplate, type RunTemplateRow, slugOf, type Tables } from '@horarium/core/plugin';
import type { ComparedLine } from '../lines/compared-line.ts';
import { baseNameOf, type CrontabLine, formerContentIn } from '../lines/crontab-records.ts';
import { isNameOfEdited, type NamedLine, nameLines } from '../lines/line-names.ts';
import { nameOfLine } from '../lines/program-name.ts';
import type { ReadCrontab } from '../lines/read-crontabs.ts';
import { CrontabSource, type CrontabSourceRow } from './crontab-source.ts';
import type { Boot } from './last-boot.ts';
import { type FormerCrontabLine, isRetired, type LineChange } from './line-change.ts';
import { isSame, mailOf } from './line-fields.ts';
import { matchLines } from './match-lines.ts';
import { type SyncZones, zonedCrontab } from './zoned-crontab.ts';

export interface SyncRequest extends SyncZones {
  readonly companyId: number;
  readonly crontabs: readonly ReadCrontab[];
  /** Whether failures are mailed to those whom MAILTO names. */
  readonly sendsMail: boolean;
  /** The last boot of the machine of the crontabs. */
  readonly boot: Boot;
}

/** What is stored of the company and the crontabs of a sync. */
interface Stored {
  /** The codes of the templates of the company. */
  readonly codes: ReadonlySet<string>;
  /** The names of its templates, with their schedules. */
  readonly named: readonly Pick<RunTemplateRow, 'id' | 'name' | 'cron'>[];
  readonly sources: readonly CrontabSourceRow[];
  /** Those that come from the crontabs, and those that earlier versions may have imported from them. */
  readonly templates: readonly RunTemplateRow[];
  readonly apps: ReadonlyMap<number, AppRow>;
  /** How many templates each of the Apps has. */
  readonly uses: ReadonlyMap<number, number>;
}

/**
 * Finds out how run templates follow crontabs: each line keeps its template through edits, new ones get one, and those of
 * removed lines are switched off.
 */
export async function planSync(tables: Tables, request: SyncRequest): Promise<readonly LineChange[]> {
  return changesOf(await readStored(tables, request), request);
}

async function readStored(tables: Tables, { companyId, crontabs }: SyncRequest): Promise<Stored> {
  const names = crontabs.map(({ source }) => source);
  const sources = await tables.of(CrontabSource).find({ where: [['crontab', 'in', names]] });
  const ofCompany = [['company_id', '=', companyId]] as const;
  const all = await tables.of(RunTemplate).find({ where: ofCompany, columns: ['id', 'code', 'name', 'cron'] });
  const earlier = all.filter(({ code: each }) => each?.startsWith('cron-')).map(({ id }) => id);
  const ids = [...new Set([...sources.map(({ record_id }) => record_id), ...earlier])];
  const templates = await tables.of(RunTemplate).find({ where: [['id', 'in', ids], ...ofCompany] });
  const appIds = [...new Set(templates.map(({ app_id }) => app_id))];
  const apps = await tables.of(App).find({ where: [['id', 'in', appIds]] });
  const users = await tables.of(RunTemplate).find({ where: [['app_id', 'in', appIds]], columns: ['id', 'app_id'] });
  return {
    codes: new Set(all.flatMap(({ code: each }) => each ?? [])),
    named: all,
    sources,
    templates,
    apps: new Map(apps.map((row) => [row.id, row])),
    uses: new Map([...Map.groupBy(users, ({ app_id }) => app_id)].map(([id, rows]) => [id, rows.length])),
  };
}

function changesOf(stored: Stored, request: SyncRequest): LineChange[] {
  const codes = new Set(stored.codes);
  const changes = request.crontabs.flatMap((read) => {
    const known = formerLines(stored, read);
    const crontab = zonedCrontab(
      read,
      known.map(({ source }) => source),
      request,
    );
    const { former, removed } = matchLines(known, crontab.lines);
    const kept = crontab.lines.map((line): LineChange => {
      const was = former.get(line);
      const on_failure = request.sendsMail ? mailOf(line, was) : null;
      if (!was) return { result: 'added', crontab, line, on_failure, code: newCode(crontab, line, codes), names: {} };
      const isEqual = isSame(line, was) && on_failure === null;
      const result = isRetired(was.template, crontab.file) ? 'restored' : isEqual ? 'unchanged' : 'changed';
      return { result, crontab, line, was, on_failure, code: was.template.code, names: {} };
    });
    const gone = removed.map((was): LineChange => {
      return { result: 'removed', crontab, was, code: was.template.code, names: {} };
    });
    return [...kept, ...gone];
  });
  return withNames(changes, stored);
}

/** Names the records of new lines, and those again whose names were made of what has changed of their lines. */
function withNames(changes: readonly LineChange[], { named }: Stored): LineChange[] {
  const lines = new Map<LineChange, NamedLine & { readonly renames: { template: boolean; app: boolean } }>();
  for (const change of changes) {
    const { result, crontab, line, was } = change;
    if (!line || result === 'unchanged') continue;
    const namedLine = ({ schedule, command }: ComparedLine): NamedLine => ({ file: crontab.file, schedule, command });
    const edited = (name: string) => was !== undefined && isNameOfEdited(name, namedLine(was), namedLine(line));
    const template = !was || edited(was.template.name);
    const app = !was?.app || was.isAppShared || edited(was.app.name);
    if (template || app) lines.set(change, { ...namedLine(line), renames: { template, app } });
  }
  const renamed = new Set([...lines].flatMap(([{ was }, { renames }]) => (renames.template && was?.template.id) || []));
  const others = named.filter(({ id }) => !renamed.has(id));
  const taken = new Map(others.map(({ name, cron }) => [name, cron ?? '@reboot']));
  const names = nameLines([...lines.values()], taken);
  return changes.map((change) => {
    const line = lines.get(change);
    const name = line && names.get(line);
    if (!line || name === undefined) return change;
    const { template, app } = line.renames;
    return { ...change, names: { ...(template && { template: name }), ...(app && { app: name }) } };
  });
}

/** Lists the lines that a crontab had, in their order; those that it has lost are last. */
function formerLines({ sources, templates, apps, uses }: Stored, crontab: ReadCrontab): FormerCrontabLine[] {
  const { file, source: name } = crontab;
  const sourceOf = new Map(sources.map((row) => [row.record_id, row]));
  const contentIn = formerContentIn(baseNameOf(file));
  const lines = templates.flatMap((template): FormerCrontabLine[] => {
    const source = sourceOf.get(template.id);
    const content = source ? source.crontab_content : contentIn(template.code ?? '');
    if (!content || (source && source.crontab !== name)) return [];
    // An earlier version did not write down the line: its templates have the order of the lines.
    const line = source ? source.crontab_line : isRetired(template, file) ? null : template.id;
    const app = apps.get(template.app_id);
    const command = app?.arguments.at(-1) ?? '';
    const compared = { content, schedule: template.cron ?? '@reboot', command, program: nameOfLine(file, command) };
    const isAppShared = (uses.get(template.app_id) ?? 0) > 1;
    return [
      { ...compared, crontab, template, app, isAppShared, source, line: line ?? Infinity, isInFile: line !== null },
    ];
  });
  return lines.sort((one, other) => one.line - other.line);
}

/** Returns a code that is not taken yet, and takes it: `php-sessionclean`, `php-sessionclean-2`. */
function newCode({ file }: ReadCrontab, { program }: CrontabLine, taken: Set<string>): string {
  const origin = slugOf(baseNameOf(file).replace(/\.(?:cron|crontab|timer|txt)$/i, '')) || 'crontab';
  const base = (slugOf(program) === origin ? origin : `${origin}-${slugOf(program)}`).slice(0, 58).replace(/-+$/, '');
  let code = base;
  for (let number = 2; taken.has(code); number += 1) code = `${base}-${number}`;
  taken.add(code);
  return code;
}
