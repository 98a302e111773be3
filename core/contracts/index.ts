import '../node-version.ts';

export * from './clause.ts';
export * from './executor-contract.ts';
export * from './format-contract.ts';
