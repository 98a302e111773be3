import { App } from '../../app/app.ts';
import { secretVariables, type Variable } from '../../app/declarations.ts';
import { Company } from '../../company/company.ts';
import { type DeclaredKeys, declaredKeysOf } from '../../credential/declared-keys.ts';
import { secretsOfCredentialTypes } from '../../credential/declared-secrets.ts';
import { queueRoom } from '../../job/pending-jobs.ts';
import { assertMayEncrypt } from '../../secret/key-registry.ts';
import type { Vault } from '../../secret/vault.ts';
import { readByIds, required } from '../../store/rows.ts';
import type { Tables } from '../../store/store.ts';
import { notRunnableReason } from '../../template/disabled-reason.ts';
import { RunTemplate, type RunTemplateRow } from '../../template/run-template.ts';
import { lockTemplates } from '../../template/schedule.ts';
import type { EventRuleRow } from './event-rule.ts';

const columns = ['id', 'app_id', 'company_id', 'executor', 'placement', 'priority', 'active', 'credentials'] as const;

/** The template that a rule runs, with what decides about its jobs. */
export interface RuleTarget {
  readonly template: Pick<RunTemplateRow, (typeof columns)[number]>;
  /** Why no job of it may be scheduled; null = jobs may. */
  readonly refusal: string | null;
  readonly declared: DeclaredKeys;
  /** The variables whose values are stored encrypted. */
  readonly secrets: ReadonlySet<string>;
}

/** The targets of rules by the ids of their templates, and how many jobs each company may still have waiting. */
export interface RuleTargets {
  readonly targets: ReadonlyMap<number, RuleTarget>;
  readonly room: Map<number, number>;
}

/**
 * Reads the templates that rules run, after locking them, with what all of their jobs need.
 * @throws HorariumError `unavailable` when a rule gives a secret and this host lacks the key to encrypt it.
 */
export async function readTargets(
  tables: Tables,
  rules: readonly EventRuleRow[],
  { vault, maxQueued }: { readonly vault: Vault; readonly maxQueued?: number | undefined },
): Promise<RuleTargets> {
  const ids = [...new Set(rules.map((rule) => rule.runtemplate_id))];
  const [, templates] = await Promise.all([
    lockTemplates(tables, ids, 'wait'),
    readByIds(tables, RunTemplate, ids, columns),
  ]);
  const found = [...templates.values()];
  const [apps, companies, typed] = await Promise.all([
    readByIds(
      tables,
      App,
      found.map((template) => template.app_id),
      ['id', 'enabled', 'environment'],
    ),
    readByIds(
      tables,
      Company,
      found.map((template) => template.company_id),
      ['id', 'enabled'],
    ),
    rules.some(givesValues) ? secretsOfCredentialTypes(tables) : [],
  ]);
  const targets = new Map<number, RuleTarget>();
  for (const template of found) {
    const app = required(apps.get(template.app_id), `App of RunTemplate ${template.id}`);
    const company = required(companies.get(template.company_id), `company of RunTemplate ${template.id}`);
    const declared = await declaredKeysOf(tables, app, template.credentials);
    const secrets = new Set([...secretVariables(app.environment), ...typed]);
    targets.set(template.id, { template, refusal: notRunnableReason(template, { app, company }), declared, secrets });
  }
  if (rules.some((rule) => givesSecret(rule, targets.get(rule.runtemplate_id)))) await assertMayEncrypt(tables, vault);
  const room = new Map<number, number>();
  for (const { id } of companies.values()) room.set(id, await queueRoom(tables, id, maxQueued));
  return { targets, room };
}

function givesValues({ env_mapping }: EventRuleRow): boolean {
  return Object.keys(env_mapping).length > 0;
}

function givesSecret({ env_mapping }: EventRuleRow, target: RuleTarget | undefined): boolean {
  return Object.keys(env_mapping).some((key) => target?.secrets.has(key));
}

/** Returns what an App declares of a variable; undefined where only a credential type declares it. */
export function variableOf({ declared: { variables } }: RuleTarget, key: string): Variable | undefined {
  return Object.hasOwn(variables, key) ? variables[key] : undefined;
}
