import type { AppRow } from '../app/app.ts';
import { allowedExecutors, appColumns } from '../executor/allowed-executors.ts';
import { canonicalJson } from '../field/canonical-json.ts';
import type { Reaction } from '../resource/define-resource.ts';
import { RunTemplate } from './run-template.ts';

const maxNamed = 10;

/**
 * Reacts to a change of what an App may be run with: warns of the templates with an executor that it excludes. The change
 * is made, because their owners could otherwise keep an administrator from it; their jobs fail and say why.
 */
export const warnOfExecutors: Reaction<AppRow> = async ({ before, after }, tables, { executors }) => {
  if (!before || !after) return;
  if (appColumns.every((name) => canonicalJson(before[name]) === canonicalJson(after[name]))) return;
  const allowed = allowedExecutors(executors, after);
  const excluded = allowed.map((name) => ['executor', '!=', name] as const);
  const templates = await tables
    .of(RunTemplate)
    .find({ where: [['app_id', '=', after.id], ...excluded], columns: ['id'], limit: maxNamed + 1 });
  if (templates.length === 0) return;
  const ids = templates.slice(0, maxNamed).map(({ id }) => id);
  const more = templates.length > maxNamed ? ' and others' : '';
  tables.warn(
    `RunTemplate ${ids.join(', ')}${more}: jobs of App ${after.id} may have ${allowed.join(', ') || 'no executor'} only, and theirs fail`,
  );
};
