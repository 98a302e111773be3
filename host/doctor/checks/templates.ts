import { type NamedProblem, trustedActor } from '@horarium/core';
import { type Finding, firstFindings, ok, warn } from '../finding.ts';
import type { Installation } from '../installation.ts';

/** Names the templates that are owed and cannot run. `summary` says what has run late or failed. */
export async function checkTemplates(installation: Installation): Promise<Finding[]> {
  const core = await installation.core();
  const { problems } = await core.summary(trustedActor(installation.io.operator, 'cli'));
  const blocked = problems.filter(({ kind }) => kind === 'not_scheduled' || kind === 'will_not_run');
  if (blocked.length === 0) return [ok('nothing keeps an active run template from running')];
  const isNamed = ({ runtemplate_id }: NamedProblem) => runtemplate_id !== null;
  const named = blocked.filter(isNamed).map(findingOf);
  const others = blocked.filter((problem) => !isNamed(problem)).map(findingOf);
  return [...firstFindings(named, 'run templates', 'horarium summary'), ...others];
}

function findingOf({ runtemplate_id: id, name, company, count, reason }: NamedProblem): Finding {
  if (id !== null) return warn(`${id} ${name} (${company}): ${reason}`, `horarium why ${id}`);
  return warn(count === 1 ? reason : `${count} run templates: ${reason}`, 'horarium summary');
}
