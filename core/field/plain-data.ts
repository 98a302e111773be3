import { mixed } from 'yup';
import { mapOf } from './fields.ts';

/** A single value of plain data: what a variable or an option may be set to. */
export type Scalar = string | number | boolean;

/** Checks a single value inside structured data. */
export const scalar = mixed<Scalar>({
  type: 'scalar',
  check: (value): value is Scalar => typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value),
}).meta({ plain: { type: ['string', 'number', 'boolean'] } });

/** Any object: kept as it is. */
export const anything = mapOf(mixed().nullable(), { pattern: /^(?!__proto__$)/, words: 'a key' });
