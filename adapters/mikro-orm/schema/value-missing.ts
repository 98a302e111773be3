import { HorariumError } from '@horarium/core';

/** The error for a new column that may not be null and has no default. */
export function valueMissing(column: string): HorariumError {
  return new HorariumError(
    'invalid',
    `Existing rows have no value for the new column ${column}: give its field a default, or let it be null.`,
  );
}
