/** The oldest Node that is supported: SQLite ends an older one with a segmentation fault. */
const oldest = 24;

const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
const version = process?.versions?.node;

// Loaded by each entry point of the package, so that a program that an older Node runs is told so in a sentence.
if (version !== undefined && Number(version.split('.')[0]) < oldest)
  throw new Error(`Horarium needs Node ${oldest} or newer; this is Node ${version}.`);
