import {
  DatabaseBusy,
  type ErrorCode,
  type FieldError,
  HorariumError,
  KeyTaken,
  LockTimeout,
  StaleRow,
  StoreUnavailable,
} from '../errors.ts';

/** How many problems a message lists. */
const maxListed = 20;

/** Errors after which a transaction cannot go on, or which it may not meet when it is run again. */
const ofTheStore = [KeyTaken, StaleRow, DatabaseBusy, LockTimeout, StoreUnavailable];

/** Whether the transaction can go on after an error. */
export function isOfTheStore(error: HorariumError): boolean {
  return ofTheStore.some((each) => error instanceof each);
}

/** What cannot be saved of many records, so that a caller learns of all at once. */
export class Problems {
  readonly #found: { readonly code: ErrorCode; readonly message: string; readonly errors: readonly FieldError[] }[] =
    [];

  /**
   * Does the work on one record, and keeps what it throws as a mistake of the caller.
   * @param at where the record stands, for messages.
   * @throws whatever else it throws, and errors of the store.
   */
  async collect(at: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof HorariumError)) throw error;
      if (error instanceof KeyTaken) error.message = `${at}: ${error.message}`;
      if (isOfTheStore(error)) throw error;
      this.#found.push({ code: error.code, message: `${at}: ${error.message}`, errors: error.errors });
    }
  }

  /** @throws HorariumError with every problem so far. */
  throwAny(): void {
    const [first, ...others] = this.#found;
    if (!first) return;
    if (others.length === 0) throw new HorariumError(first.code, first.message, first.errors);
    const lines = this.#found.slice(0, maxListed).map(({ message }) => message);
    const more = this.#found.length - lines.length;
    throw new HorariumError('invalid', [...lines, ...(more > 0 ? [`… and ${more} more.`] : [])].join('\n'));
  }
}
