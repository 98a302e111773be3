/** Returns the error that a promise rejects with. @throws Error when it resolves. */
export async function rejectionOf(promise: Promise<unknown>): Promise<Error> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error as Error;
  }
  throw new Error(`It should have failed, but gave ${JSON.stringify(value)}.`);
}
