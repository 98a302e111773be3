import { completeOptions, type Options, secretOptionPaths } from '../records/plugin-options.ts';
import { redact } from '../redaction/redactor.ts';
import type { ByName } from '../registry/missing-extension.ts';
import { extensionMessage } from '../registry/plugin-mistakes.ts';
import { RecordCipher } from '../secret/record-cipher.ts';
import type { Vault } from '../secret/vault.ts';
import { EventSource, type EventSourceRow } from './event-source.ts';
import type { EventSourceKind } from './event-source-kind.ts';

/** The kinds of event sources, and what decrypts the options of sources. */
export interface SourceKinds {
  readonly vault: Vault;
  readonly kinds: ByName<EventSourceKind>;
}

/**
 * Returns the options of a source as its kind receives them: complete and decrypted.
 * @throws HorariumError `unavailable` when they cannot be decrypted here.
 */
export function optionsOf(
  vault: Vault,
  { options }: Pick<EventSourceKind, 'options'>,
  row: Pick<EventSourceRow, 'id' | 'cipher_key' | 'options'>,
): Options {
  const given = new RecordCipher(vault, EventSource, row).decryptAll(['options'], row.options) as Options;
  return completeOptions(options, given);
}

/** The message of an error of a source, on one line and with the secrets of the source masked. */
export async function maskedMessage(
  kind: Pick<EventSourceKind, 'options'>,
  options: Options,
  error: unknown,
): Promise<string> {
  const secrets = secretOptionPaths([], kind.options).map(([name]) => options[name as string]);
  const line = extensionMessage(kind, error).replaceAll(/\s+/g, ' ').trim();
  return redact(
    line,
    secrets.filter((secret) => typeof secret === 'string'),
  );
}
