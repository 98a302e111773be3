import { type SourceFile, sourceFiles } from '../../house/source-files.ts';

interface Port {
  readonly name: string;
  readonly sentence: string;
  readonly path: string;
}

/**
 * The files that implement a port only for a purpose of their own and need not pass its contract: the stand-ins of the
 * contracts and of the simulated scheduler, and the store inside an application's transaction.
 */
const standIns = ['core/contracts/', 'core/scheduler/simulate.ts', 'adapters/mikro-orm/orm/joined-store.ts'];

/**
 * Lists the interfaces whose comment begins with `PORT:`, and the files that implement them, as a table for the handbook;
 * leaves out stand-ins.
 */
export function portsMarkdown(): string {
  const files = sourceFiles().filter(({ path }) => !path.startsWith('test/'));
  const ports = files.flatMap(portsIn);
  const candidates = files.filter(({ path }) => !standIns.some((standIn) => path.startsWith(standIn)));
  const rows = ports.map((port) => {
    const implementations = candidates.filter((file) => implementsPort(file, port)).map(({ path }) => `\`${path}\``);
    return `| \`${port.name}\` (\`${port.path}\`) | ${port.sentence} | ${implementations.join(', ')} |`;
  });
  return ['| Port | What it is | Implemented by |', '| --- | --- | --- |', ...rows].join('\n');
}

function portsIn({ path, text }: SourceFile): Port[] {
  const found = text.matchAll(/\/\*\*[\s*]*PORT: ((?:(?!\*\/)[\s\S])*)\*\/\s*export interface (\w+)/g);
  return [...found].map(([, comment = '', name = '']) => {
    const [sentence = ''] = comment.replace(/\s*\n \*\s?/g, ' ').split(/(?<=\.)\s/);
    return { name, sentence: sentence[0]?.toUpperCase() + sentence.slice(1).replace(/:$/, '.'), path };
  });
}

function implementsPort({ path, text }: SourceFile, port: Port): boolean {
  const { name } = port;
  return (
    path !== port.path &&
    new RegExp(`implements ${name}\\b|: ${name} = \\{|[^.\\w]define(?:Async)?${name}\\(\\{`).test(text)
  );
}
