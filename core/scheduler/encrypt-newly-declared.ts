import type { AppRow } from '../app/app.ts';
import { secretVariables } from '../app/declarations.ts';
import { changedFields } from '../audit/diff.ts';
import { Company } from '../company/company.ts';
import { Credential } from '../credential/credential.ts';
import { type CredentialTypeRow, isSecretField } from '../credential/credential-type.ts';
import type { AnyResource } from '../resource/define-resource.ts';
import type { RecordServices } from '../resource/record-services.ts';
import { encryptSecrets } from '../secret/encrypt-secrets.ts';
import type { Vault } from '../secret/vault.ts';
import type { Tables, Where } from '../store/store.ts';
import { RunTemplate } from '../template/run-template.ts';

interface Change<R> {
  readonly before: R | undefined;
  readonly after: R | undefined;
}

/**
 * When an App or a credential type declares a key secret that was not, values which are stored in the clear under that
 * key are encrypted in the same transaction. Audit entries of earlier changes keep what they said.
 * @param sealGiven does so with what was given to those jobs alone
 */
export function encryptNewlyDeclared(
  service: RecordServices,
  sealGiven: (tables: Tables, vault: Vault, jobs: Where) => Promise<void>,
) {
  return {
    async app({ before, after }: Change<AppRow>, tables: Tables): Promise<void> {
      if (!after || !grown(secretVariables(before?.environment ?? {}), secretVariables(after.environment))) return;
      await sealAgain(Company, [], tables, service);
      await sealAgain(RunTemplate, [['app_id', '=', after.id]], tables, service);
      const templates = await tables.of(RunTemplate).find({ where: [['app_id', '=', after.id]], columns: ['id'] });
      await sealGiven(tables, service.vault, [['runtemplate_id', 'in', templates.map(({ id }) => id)]]);
    },

    async credentialType({ before, after }: Change<CredentialTypeRow>, tables: Tables): Promise<void> {
      if (!after || !grown(secretFields(before), secretFields(after))) return;
      await sealAgain(Credential, [['credential_type_id', '=', after.id]], tables, service);
      await sealAgain(Company, [], tables, service);
      await sealAgain(RunTemplate, [], tables, service);
      await sealGiven(tables, service.vault, []);
    },
  };
}

function secretFields(type: CredentialTypeRow | undefined): string[] {
  return type?.fields.filter(isSecretField).map((field) => field.keyword) ?? [];
}

function grown(before: readonly string[], after: readonly string[]): boolean {
  return after.some((key) => !before.includes(key));
}

const batch = 500;

async function sealAgain(resource: AnyResource, where: Where, tables: Tables, service: RecordServices): Promise<void> {
  const table = tables.of(resource);
  const order = [['id', 'asc']] as const;
  for (let last = 0; ; ) {
    const rows = await table.find({ where: [...where, ['id', '>', last]], order, limit: batch });
    for (const before of rows) {
      const context = { tables, service, before, isCleared: () => false, refuse: () => {} };
      const { row, cipher } = await encryptSecrets(resource, before, context);
      if (row === before) continue;
      const tie = cipher.cipherKeyFor(before.id);
      await table.update([
        { row: before, set: changedFields(before, tie === undefined ? row : { ...row, cipher_key: tie }) },
      ]);
    }
    if (rows.length < batch) return;
    last = rows.at(-1)?.id ?? last;
  }
}
