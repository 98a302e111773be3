import {
  Company,
  type Core,
  type NamedProblem,
  RunTemplate,
  type RunTemplateRow,
  trustedActor,
  yieldToEventLoop,
} from '@horarium/core';
import { type Finding, firstFindings, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Names the templates that are owed and cannot run, and those whose options this machine rules out. `summary` says what has run late or failed. */
export async function checkTemplates(installation: Installation): Promise<Finding[]> {
  const core = await installation.core();
  const { problems } = await core.summary(trustedActor(installation.io.operator, 'cli'));
  const blocked = problems.filter(({ kind }) => kind === 'not_scheduled' || kind === 'will_not_run');
  const refused = await refusedTemplates(core);
  if (blocked.length === 0 && refused.length === 0) return [ok('nothing keeps an active run template from running')];
  const isNamed = ({ runtemplate_id }: NamedProblem) => runtemplate_id !== null;
  const named = [...blocked.filter(isNamed).map(findingOf), ...refused];
  const others = blocked.filter((problem) => !isNamed(problem)).map(findingOf);
  return [...firstFindings(named, 'run templates', 'horarium summary'), ...others];
}

function findingOf({ runtemplate_id: id, name, company, count, reason }: NamedProblem): Finding {
  if (id !== null) return warn(`${id} ${name} (${company}): ${reason}`, `horarium why ${id}`);
  return warn(count === 1 ? reason : `${count} run templates: ${reason}`, 'horarium summary');
}

/** How many templates are read at once. */
const pageSize = 1000;

/** Finds the active templates whose jobs the executors of this machine would not start. */
async function refusedTemplates(core: Core): Promise<Finding[]> {
  const companies = await core.store.read((tables) => tables.of(Company).find({ columns: ['id', 'name', 'run_as'] }));
  const companyOf = new Map(companies.map((company) => [company.id, company]));
  const findings: Finding[] = [];
  let last: number | null = 0;
  while (last !== null) {
    await yieldToEventLoop();
    const page: PlacedTemplate[] = await readPage(core, last);
    for (const { id, name, company_id, executor, executor_options } of page) {
      const company = companyOf.get(company_id);
      const refusal = core.refusals.start(executor, executor_options, company?.run_as ?? null);
      if (refusal !== null) findings.push(warn(`${id} ${name} (${company?.name}): ${refusal}`, `horarium why ${id}`));
    }
    last = page.length < pageSize ? null : (page.at(-1)?.id ?? null);
  }
  return findings;
}

const columns = ['id', 'name', 'company_id', 'executor', 'executor_options'] as const;
type PlacedTemplate = Pick<RunTemplateRow, (typeof columns)[number]>;

function readPage({ store }: Core, after: number): Promise<PlacedTemplate[]> {
  const where = [
    ['active', '=', true],
    ['id', '>', after],
  ] as const;
  return store.read((tables) =>
    tables.of(RunTemplate).find({ where, order: [['id', 'asc']], limit: pageSize, columns }),
  );
}
