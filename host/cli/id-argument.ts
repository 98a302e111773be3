import { InvalidArgumentError } from 'commander';

/** @throws InvalidArgumentError for anything but a positive whole number. */
export function readIdArgument(given: string): number {
  const id = Number(given);
  if (!/^[1-9]\d{0,15}$/.test(given) || !Number.isSafeInteger(id))
    throw new InvalidArgumentError('An id is a positive whole number.');
  return id;
}
