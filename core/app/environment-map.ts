import { string } from 'yup';
import { type KeyRule, mapOf } from '../field/structured.ts';

/** The name of any environment variable. */
export const environmentKey: KeyRule = {
  pattern: /^(?!__proto__$)[A-Za-z_][A-Za-z0-9_]{0,254}$/,
  description: 'the name of an environment variable',
};

/** The name of a variable that can be declared and set, unless an executor forbids it: none of the service's own. */
export const declarableKey: KeyRule = {
  ...environmentKey,
  refuse: (key) =>
    /^(?:HORARIUM|EVENT)_/.test(key)
      ? 'cannot be declared or set: the service alone sets HORARIUM_* and EVENT_*'
      : null,
};

/** `{KEY: text}`: the variables that a company, a template or one job sets. */
export const environmentMap = () => mapOf(string().max(32_768).defined(), declarableKey);
