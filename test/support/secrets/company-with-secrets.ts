import { App, Job, type JobRow, RunTemplate, type RunTemplateRow } from '@horarium/core';
import { encryptOverrides } from '#core/job/overrides';
import type { Vault } from '#core/secret/vault';
import { readById } from '#core/store/rows';
import { newRow } from '#core/store/table';
import { type PreparationContext, type PreparationOptions, prepareAttempts } from '#core/worker/prepare-attempts';
import {
  type AnyRow,
  type RecordWorld,
  recordServices,
  recordWorld,
  root,
  smallCompany,
} from '../worlds/record-world.ts';

const { vault } = recordServices;
const context: Omit<PreparationContext, 'vault' | 'executorSchemas'> = {
  digests: { random: () => 'ping-key', sha256: (text: string) => `sha256 of ${text}` },
  pingUrl: (job, key) => `https://h/ping?job=${job}&key=${key}`,
};

/**
 * Creates a company whose template gets a secret from every layer of the environment.
 * @returns `prepare`, which prepares a job of the template with these overrides.
 */
export async function companyWithSecrets() {
  const world = recordWorld();
  const { app, company, template } = await smallCompany(world);
  await world.save('App', {
    id: app.id,
    arguments: ['--key={APP_KEY}', '{PLACE}'],
    environment: {
      APP_KEY: { type: 'password', default: 'app default' },
      FIRM_KEY: { type: 'secret' },
      RUN_KEY: { type: 'secret' },
      ONCE_KEY: { type: 'secret' },
      PLACE: { default: 'Brno' },
      NEEDED: { required: true },
    },
  });
  await world.save('Company', { id: company.id, environment: { FIRM_KEY: 'firm secret' } });
  const credential = await createCredential(world, company.id);
  const saved = await world.save('RunTemplate', {
    id: template.id,
    environment: { RUN_KEY: 'run secret' },
    credentials: [credential.id],
  });
  const prepare = (
    overrides: Record<string, string>,
    executor = 'native',
    options: PreparationOptions = {},
    executorSchemas: PreparationContext['executorSchemas'] = recordServices.executors,
  ) => prepareJob(world, saved, overrides, { executor, options, executorSchemas });
  return { world, company, template: saved, prepare };
}

/** Creates a credential with the secret DB_PASSWORD; its type has a default for the secret DB_KEY. */
async function createCredential(world: RecordWorld, company_id: number): Promise<AnyRow> {
  const fields = [
    { keyword: 'DB_KEY', secret: true, default: 'type default' },
    { keyword: 'DB_PASSWORD', type: 'password' },
  ];
  const { id: credential_type_id } = await world.save('CredentialType', { code: 'db', name: 'db', fields });
  const values = { DB_PASSWORD: 'db secret' };
  return world.save('Credential', { name: 'database', company_id, credential_type_id, values });
}

/** Encrypts the overrides as a new job stores them, and prepares the job for the template as it is stored now. */
async function prepareJob(
  world: RecordWorld,
  saved: AnyRow,
  given: Record<string, string>,
  {
    executor,
    options,
    executorSchemas,
  }: {
    readonly executor: string;
    readonly options: PreparationOptions;
    readonly executorSchemas: PreparationContext['executorSchemas'];
  },
) {
  return world.store.transaction(root, async (tables) => {
    const [template] = await tables.of(RunTemplate).find({ where: [['id', '=', saved.id]] });
    const { id: runtemplate_id, app_id, company_id } = saved as AnyRow as RunTemplateRow;
    const app = await readById(tables, App, app_id);
    const overrides = await encryptOverrides(tables, vault, { template: saved, app }, given);
    const job = { ...newRow(Job, { runtemplate_id, app_id, company_id, overrides, executor }), id: 7 } as JobRow;
    let decryptions = 0;
    const counting = countDecryptions(vault, () => {
      decryptions += 1;
    });
    const claim = { job, task: null, template: template as AnyRow };
    const [prepared] = await prepareAttempts(
      tables,
      [claim],
      { ...context, executorSchemas, vault: counting },
      options,
    );
    return { overrides, prepared: prepared as NonNullable<typeof prepared>, decryptions };
  });
}

/** Returns a vault that is the given one, but calls back at each decryption. */
function countDecryptions(vault: Vault, onDecryption: () => void): Vault {
  const decrypt: Vault['decrypt'] = (...given) => {
    onDecryption();
    return vault.decrypt(...given);
  };
  const get = (_: object, name: string | symbol): unknown => {
    if (name === 'decrypt') return decrypt;
    const member = vault[name as keyof Vault];
    return typeof member === 'function' ? (member as () => unknown).bind(vault) : member;
  };
  return new Proxy<Vault>(vault, { get });
}
