import { handbookPath, readDocument } from './documents.ts';
import { pageCommands } from './page-steps.ts';
import { programsIn } from './programs.ts';

/** The pages of the handbook for those who embed the core, in order. */
const pages = ['embedding', 'stores', 'transactions', 'http-handler', 'custom-host'];

export interface EmbeddingPages {
  readonly text: string;
  /** The paths of their programs, in order. */
  readonly programs: readonly string[];
  /** Their commands, in order. */
  readonly commands: readonly string[];
}

export function readEmbeddingPages(): EmbeddingPages {
  const text = pages.map((page) => readDocument(`${handbookPath}/embed/${page}.md`)).join('\n');
  return { text, programs: programsIn(text), commands: pageCommands(text) };
}
