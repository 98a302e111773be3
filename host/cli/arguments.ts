import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for anything but a positive whole number. */
export function readIdArgument(given: string): number {
  const id = Number(given);
  if (!/^[1-9]\d{0,15}$/.test(given) || !Number.isSafeInteger(id))
    throw new InvalidArgumentError('An id is a positive whole number.');
  return id;
}

/**
 * Splits `KEY=VALUE` at its first `=`.
 * @param form what the option looks like, for the sentence that refuses another form.
 * @throws InvalidArgumentError when nothing stands before an `=`.
 */
export function readAssignment(given: string, form: string): readonly [key: string, value: string] {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`It must look like ${form}.`);
  return [given.slice(0, at), given.slice(at + 1)];
}
