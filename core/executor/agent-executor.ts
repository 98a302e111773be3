import { string } from 'yup';
import type { RowOf } from '../field/field-meta.ts';
import { text } from '../field/fields.ts';
import { anything, json, mapOf } from '../field/structured.ts';
import type { Assignment } from '../resource/record-services.ts';
import type { Tables } from '../store/store.ts';
import type { RowValues } from '../store/table.ts';
import type { AttemptLimits } from './attempt-limits.ts';
import { labelName, labelValue, maxLabels, type Placement, placeName } from './placement.ts';

const wrongValue = ({ path }: { path: string }) =>
  `${path} must be letters, digits, dots, dashes and underscores, at most 63`;

/** The options of a template whose jobs run on agents. */
export const agentOptions = {
  pool: text(63, { restricts: true, description: 'The pool whose agents run the jobs.' })
    .matches(placeName, ({ path }: { path: string }) => `${path} must be a name such as gpu: a-z, 0-9 and dashes`)
    .required(),
  executor: text(64, { names: 'executors', description: 'The executor that agents run the jobs by.' })
    .default('native')
    .nonNullable(),
  labels: json(
    mapOf(
      string().matches(labelValue, wrongValue).defined(),
      { pattern: labelName, description: 'the name of a label such as arch' },
      maxLabels,
    ),
    {},
    { restricts: true, description: 'Labels that the agent must have, such as {"arch": "arm64"}.' },
  ),
  options: json(anything, {}, { description: 'Options of the executor that agents run the jobs by.' }),
};

/**
 * PORT: a way to have attempts run by agents, machines without the database. They claim the jobs of their pools from the
 * service, which gives them what the attempts need, the secrets among it.
 */
export interface AgentExecutor {
  readonly name: string;
  readonly options: typeof agentOptions;
  /** What is stored of an attempt, whatever its agent reports. */
  readonly limits: AttemptLimits;
  /** Returns the agents that jobs with these options are for. */
  assignment(options: RowValues): Assignment;
  /**
   * Returns why jobs of a company cannot run at a placement, as a sentence without a full stop; null = they can, once an agent
   * is there. It is asked when a template is saved. @default they can anywhere
   */
  placementRefusal?(tables: Tables, placement: Placement, company: number): Promise<string | null>;
}

/** Makes an executor of agents. */
export function agentExecutor({
  name,
  limits,
  placementRefusal,
}: Pick<AgentExecutor, 'name' | 'limits' | 'placementRefusal'>): AgentExecutor {
  return { name, options: agentOptions, limits, assignment, ...(placementRefusal && { placementRefusal }) };
}

function assignment(given: RowValues): Assignment {
  const { pool, executor, labels, options } = given as Partial<RowOf<typeof agentOptions>>;
  return { pool: pool ?? '', executor: executor ?? 'native', labels: labels ?? {}, options: options ?? {} };
}
