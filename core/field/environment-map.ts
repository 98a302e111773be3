import { string } from 'yup';
import { mapOf } from './fields.ts';

/** The name of an environment variable that an App or a credential type may declare. */
export const environmentKey = {
  pattern: /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  words: 'the name of an environment variable',
};

/** A name whose value anyone but the writer of an App may set: those that decide what code is run are left out. */
export const settableKey = {
  pattern: /^(?!__proto__$|PATH$|NODE_OPTIONS$|LD_|HORARIUM_)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  words: 'the name of a variable that may be set here (PATH, NODE_OPTIONS, LD_* and HORARIUM_* may not)',
};

/** `{KEY: text}`: what a company, a template or one job sets. */
export const environmentMap = () => mapOf(string().max(32_768).defined(), settableKey);
