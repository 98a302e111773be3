import { string } from 'yup';
import { type KeyRule, mapOf } from '../field/structured.ts';

/** The name of an environment variable that an App or a credential type may declare. */
export const environmentKey: KeyRule = {
  pattern: /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  description: 'the name of an environment variable',
};

/** The name of a variable that a company, a template or a job may set: none that decides what code runs. */
export const settableKey: KeyRule = {
  pattern: /^(?!__proto__$|PATH$|NODE_OPTIONS$|LD_|HORARIUM_)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  description: 'the name of a variable that may be set here (PATH, NODE_OPTIONS, LD_* and HORARIUM_* may not)',
};

/** `{KEY: text}`: the variables that a company, a template or one job sets. */
export const environmentMap = () => mapOf(string().max(32_768).defined(), settableKey);
