import { InvalidArgumentError } from 'commander';

/** Reads an id. @throws InvalidArgumentError for anything but a positive whole number. */
export function readIdArgument(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d{0,15}$/.test(text) || !Number.isSafeInteger(id))
    throw new InvalidArgumentError('An id is a positive whole number.');
  return id;
}

/** Reads a number of things. @throws InvalidArgumentError for anything but a positive whole number. */
export function readCountArgument(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It must be a positive whole number.');
  return Number(text);
}

/** Reads a further id of an argument that takes several. @throws InvalidArgumentError as `readIdArgument`. */
export function readIdsArgument(text: string, previous: readonly number[] = []): number[] {
  return [...previous, readIdArgument(text)];
}

/**
 * Splits `KEY=VALUE` at its first `=`.
 * @param form what the option looks like, for the message about another form.
 * @throws InvalidArgumentError when nothing stands before an `=`.
 */
export function readAssignment(text: string, form: string): readonly [key: string, value: string] {
  const position = text.indexOf('=');
  if (position < 1) throw new InvalidArgumentError(`It must look like ${form}.`);
  return [text.slice(0, position), text.slice(position + 1)];
}

/** Returns a parser of an option that takes `KEY=VALUE` and may be repeated. @param form as for `readAssignment`. */
export function appendAssignment(form: string) {
  return (given: string, before: readonly (readonly [string, string])[]) => [...before, readAssignment(given, form)];
}

/** What every user of a machine can do with a secret in an argument, as a warning. @param option that has it. */
export function exposedSecretWarning(name: string, option: string): string {
  return `Warning: every user of this machine can read the ${name} in ${option}; --json keeps it out of the list of processes.\n`;
}
