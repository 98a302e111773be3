import { App, type AppRow } from '../../app/app.ts';
import { readDeclaredKeys, undeclaredKeyErrors } from '../../credential/declared-keys.ts';
import { errorMessage } from '../../errors.ts';
import { didYouMean } from '../../registry/did-you-mean.ts';
import type { CheckContext } from '../../resource/define-resource.ts';
import { readById } from '../../store/rows.ts';
import { addressErrors } from '../../template/address-errors.ts';
import { RunTemplate } from '../../template/run-template.ts';
import { EventSource } from '../event-source.ts';
import { endColumns, parseSelector, type Selector } from './selector.ts';

/** The fields of a rule that decide whether its selectors can work. */
interface MappingFields {
  readonly runtemplate_id: number;
  readonly event_source_id: number | null;
  readonly runtemplate_source_id: number | null;
  readonly event: string | null;
  readonly env_mapping: Readonly<Record<string, string>>;
}

/**
 * Reports new variables of a mapping that the template to run does not hand on to its jobs, and new selectors that can
 * never find anything. All are new to a rule that gets another template or another source.
 */
export async function checkMapping(rule: MappingFields, context: CheckContext<MappingFields>): Promise<void> {
  const { tables, service, before, errors } = context;
  const storedFor = (...fields: readonly (keyof MappingFields)[]) =>
    before && fields.every((field) => before[field] === rule[field]) ? before.env_mapping : {};
  const keys = storedFor('runtemplate_id');
  const added = Object.keys(rule.env_mapping).filter((key) => !Object.hasOwn(keys, key));
  if (added.length > 0) {
    const template = await readById(tables, RunTemplate, rule.runtemplate_id);
    errors.push(...undeclaredKeyErrors('env_mapping', added, await readDeclaredKeys(tables, template)));
    const owner = { template, app: await readById(tables, App, template.app_id) };
    const mapped = Object.keys(rule.env_mapping);
    errors.push(...(await addressErrors(tables, service.executors, owner, { keys: mapped, field: 'env_mapping' })));
  }
  const selectors = storedFor('event_source_id', 'runtemplate_source_id', 'event');
  const changed = Object.entries(rule.env_mapping).filter(([key, selector]) => selectors[key] !== selector);
  if (changed.length === 0) return;
  const problemOf = await selectorCheck(rule, context);
  for (const [key, text] of changed) {
    const problem = problemOf(text);
    const field = `env_mapping.${key}`;
    if (problem) errors.push({ field, message: `${field} ${problem}` });
  }
}

/** Returns a function that says why a selector can never work: the end of a sentence, or null. */
async function selectorCheck(
  rule: MappingFields,
  { tables, service }: CheckContext<MappingFields>,
): Promise<(text: string) => string | null> {
  if (rule.runtemplate_source_id === null) {
    const [source] = await tables
      .of(EventSource)
      .find({ where: [['id', '=', rule.event_source_id ?? 0]], columns: ['kind'] });
    const columns = service.eventSourceKinds.get(source?.kind ?? '')?.columns;
    return checkEach(false, (selector) => columnProblem(selector, columns));
  }
  const [template] = await tables
    .of(RunTemplate)
    .find({ where: [['id', '=', rule.runtemplate_source_id]], columns: ['app_id'] });
  const [app] = template ? await tables.of(App).find({ where: [['id', '=', template.app_id]] }) : [];
  return checkEach(true, (selector) => (app ? chainProblem(selector, app, rule.event) : null));
}

function checkEach(isChain: boolean, check: (selector: Selector) => string | null) {
  return (text: string): string | null => {
    try {
      return check(parseSelector(text, isChain));
    } catch (error) {
      return errorMessage(error);
    }
  };
}

function columnProblem(selector: Selector, columns: readonly string[] | undefined): string | null {
  const name = selector.kind === 'column' ? selector.name : selector.kind === 'path' ? selector.steps[0] : undefined;
  if (!columns || typeof name !== 'string' || columns.includes(name)) return null;
  const hint = didYouMean(name, columns);
  return `cannot be ${name}: the source has the columns ${columns.join(', ')}${hint && `.${hint}`}`;
}

/** The columns of a Task that is missed: there is no job of it. */
const columnsWithoutJob = ['event', 'task_id', 'runtemplate_id'];

/** Writes a selector of a produced output, which leads too deep, as a path into the result file: `$.inv.items[0].n`. */
function pathOf({ output, field }: { readonly output: string; readonly field: string }): string {
  return `$.${output}.${field}`.replaceAll(/\.(\d+)(?=\.|\[|$)/g, '[$1]');
}

function chainProblem(selector: Selector, app: AppRow, event: string | null): string | null {
  const isMissed = event === 'task_missed';
  if (selector.kind === 'column') {
    const columns = isMissed ? columnsWithoutJob : endColumns;
    return columnProblem(selector, columns)?.replace('the source has the columns', 'there are only') ?? null;
  }
  if (isMissed) return 'cannot be used with task_missed: no job has run';
  if (selector.kind === 'file') {
    const names = [...app.artifacts.map(({ name }) => name), ...(app.result_file === null ? [] : [app.result_file])];
    if (names.includes(selector.name)) return null;
    return `cannot be @file:${selector.name}: App ${app.id} declares ${names.length > 0 ? `the files ${names.join(', ')}` : 'no artifacts'}`;
  }
  if (app.result_file === null)
    return `cannot work: it reads the result file, and App ${app.id} declares no result_file`;
  if (selector.kind === 'produces' && !Object.hasOwn(app.produces, selector.output))
    return `cannot work: App ${app.id} does not declare that it produces ${selector.output}`;
  if (selector.kind === 'produces' && /[.[\]]/.test(selector.field))
    return `cannot work: produces.NAME.FIELD reads one field, not what lies deeper in the result file: write ${pathOf(selector)}`;
  return null;
}
