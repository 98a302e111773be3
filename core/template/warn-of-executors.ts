import type { AppRow } from '../app/app.ts';
import { allowedExecutors, appColumns, rulingExecutor } from '../executor/allowed-executors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import type { Reaction } from '../resource/define-resource.ts';
import { RunTemplate } from './run-template.ts';

const maxNamed = 10;
/** How many templates are looked at: of those that run on agents, some may be allowed. */
const maxRead = 500;

/**
 * Reacts to a change of what an App may be run with: warns of the templates with an executor that it excludes. The change
 * is made, because their owners could otherwise keep an administrator from it; their jobs fail and say why.
 */
export const warnOfExecutors: Reaction<AppRow> = async ({ before, after }, tables, { executors }) => {
  if (!before || !after) return;
  if (appColumns.every((name) => canonicalJson(before[name]) === canonicalJson(after[name]))) return;
  const allowed = allowedExecutors(executors, after);
  const excluded = allowed.map((name) => ['executor', '!=', name] as const);
  const onAgents = [
    ['executor', 'in', [...executors.keys()].filter((name) => executors.get(name)?.assignment)],
  ] as const;
  const found = await tables.of(RunTemplate).find({
    where: [['app_id', '=', after.id], { any: [excluded, onAgents] }],
    columns: ['id', 'executor', 'executor_options'],
    limit: maxRead,
  });
  const templates = found.filter(
    ({ executor, executor_options: options }) => !allowed.includes(rulingExecutor(executors, executor, options).name),
  );
  if (templates.length === 0) return;
  const ids = templates.slice(0, maxNamed).map(({ id }) => id);
  const more = templates.length > maxNamed ? ' and others' : '';
  tables.warn(
    `RunTemplate ${ids.join(', ')}${more}: jobs of App ${after.id} may have ${allowed.join(', ') || 'no executor'} only, and theirs fail`,
  );
};
