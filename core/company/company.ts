import { type ActionLists, actionListFields, readActionLists, secretsOfActions } from '../action/action-lists.ts';
import { environmentMap } from '../app/environment-map.ts';
import { variableErrors } from '../app/forbidden-variables.ts';
import { declaredSecrets, secretPaths } from '../credential/declared-secrets.ts';
import { count, flag, text } from '../field/fields.ts';
import { anything, json } from '../field/structured.ts';
import { email, image, slug } from '../field/web-fields.ts';
import { keepFieldNames, keepFields } from '../quota/keep-rules.ts';
import { type CheckContext, defineResource, type InputOfResource, type Resource } from '../resource/define-resource.ts';
import { byMembership, changedField, isAdmin } from '../resource/permissions.ts';
import { cipherKeyField } from '../secret/record-cipher.ts';
import type { RowOfTable } from '../store/table.ts';

/** The fields of a company that only admins of the service set, not those of the company. */
const adminFields = ['max_running', 'run_as', ...keepFieldNames] as const;

const described = defineResource({
  name: 'Company',
  cacheRegion: 'configuration',
  names: { singular: 'company', plural: 'companies', id: 'companyId' },
  description: 'A tenant: runs apps, and its members decide how.',
  example: {
    code: 'acme',
    name: 'Acme Inc.',
    registration_number: '27082440',
    email: 'office@acme.example',
    environment: { REGION: 'eu-central' },
  },
  operations: ['list', 'get', 'save', 'delete'],
  permissions: byMembership(
    { read: 'viewer', create: 'admin everywhere', update: 'admin', delete: 'admin everywhere' },
    {
      fields: ['id', ...adminFields],
      async refuse(actor, row, tables): Promise<string | undefined> {
        if (isAdmin(actor)) return undefined;
        const changed = await changedField(tables, Company, row, adminFields);
        return changed && `${actor.name} may not change ${changed} of company ${row.id}: that takes the role admin.`;
      },
    },
  ),
  company: 'id',
  key: ['code'],
  summaryFields: ['id', 'code', 'name', 'enabled', 'registration_number', 'email'],
  fields: {
    code: slug(64, {
      unique: true,
      description: 'Short name for machines, in the environment of its jobs as HORARIUM_COMPANY_CODE.',
    }).required(),
    name: text(255, { indexed: true, description: 'Full name.' }).required(),
    enabled: flag(true, { indexed: true, description: 'A disabled company runs no jobs.' }),
    max_running: count(0, {
      description:
        'The maximum number of its jobs that run at once on all hosts; further jobs wait. Null = no limit. Only admins set it.',
    })
      .min(1)
      .nullable()
      .default(null),
    run_as: text(32, {
      unique: true,
      description:
        'Operating-system user of its jobs: one of the setting job_users that no other company has. Null = the user that all other companies share. Only admins set it.',
    }),
    ...keepFields('as the settings of the service say'),
    registration_number: text(32, { description: 'Number in the register of companies.' }),
    email: email({ description: 'E-mail address of the company.' }),
    logo: image({ detailOnly: true, description: 'Logo of the company.' }),
    settings: json(anything, {}, { detailOnly: true, description: 'Data that the service does not interpret.' }),
    environment: json(
      environmentMap(),
      {},
      {
        detailOnly: true,
        description:
          "Values for the company's jobs; a job gets a value if its App declares the key. A value has at most 32,768 characters.",
      },
    ),
    ...actionListFields(' of any template of the company'),
    cipher_key: cipherKeyField(),
  },
  check(row: CheckedCompany, context: CheckContext<CheckedCompany>): void {
    const { before, service, errors } = context;
    const { run_as } = row;
    Object.assign(row, readActionLists(row, context));
    errors.push(...variableErrors(service.executors, 'environment', row.environment));
    if (run_as === null || run_as === before?.run_as) return;
    const refusal = service.userRefusal(run_as);
    if (refusal !== null) errors.push({ field: 'run_as', message: `run_as cannot be ${run_as}: ${refusal}` });
  },
  secrets: async (row, { tables, service }) => [
    ...secretPaths('environment', row.environment, await declaredSecrets(tables)),
    ...secretsOfActions(row, service.actions),
  ],
});
export type CompanyRow = { [K in keyof RowOfTable<typeof described>]: RowOfTable<typeof described>[K] };
export type CompanyInput = { [K in keyof InputOfResource<typeof described>]: InputOfResource<typeof described>[K] };

/** A tenant: runs apps, and its members have their rights within it. */
export const Company: Resource<CompanyRow, CompanyInput> = described;

/** The fields that `check` reads. They are declared apart from the row type, which depends on `check` itself. */
interface CheckedCompany extends ActionLists {
  readonly environment: Readonly<Record<string, string>>;
  readonly run_as: string | null;
}
