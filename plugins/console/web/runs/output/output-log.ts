import { plain, readLine, type StyledLine, type TextStyle } from './sgr.ts';

/** A piece of the output of a job, as the API sends it. */
export interface OutputPiece {
  readonly seq: number;
  readonly stream: 'stdout' | 'stderr';
  readonly at: string;
  readonly text: string;
}

export interface OutputLine extends StyledLine {
  readonly isError: boolean;
  /** When its first character was written. */
  readonly at: string;
}

/** How many lines are kept, the last ones: a page cannot be as high as all lines of some outputs. */
const maxLines = 500_000;
const droppedAtOnce = 50_000;
/** How much of a line is shown. */
const maxLength = 10_000;

interface Written {
  raw: string;
  readonly isError: boolean;
  readonly at: string;
  readonly start: TextStyle;
}

/** The lines of the output of a job, which pieces are added to as they arrive. Those of its two streams do not mix. */
export class OutputLog {
  readonly #lines: Written[] = [];
  readonly #ends = { stdout: plain, stderr: plain };
  /** The line of each stream that has no line feed yet. */
  readonly #unfinished: { stdout: Written | null; stderr: Written | null } = { stdout: null, stderr: null };
  /** The number of the last piece. */
  last = -1;
  /** How many lines were dropped at the beginning. */
  dropped = 0;

  /** How many lines there are. */
  get count(): number {
    return this.#lines.length;
  }

  /** How many lines from the first one on cannot grow any more. */
  get settled(): number {
    const open = Object.values(this.#unfinished).flatMap((line) => (line ? [this.#lines.lastIndexOf(line)] : []));
    return Math.min(this.count, ...open);
  }

  /** Adds a piece; one that is known already adds nothing. */
  append({ seq, stream, at, text }: OutputPiece): void {
    if (seq <= this.last) return;
    this.last = seq;
    const parts = text.split('\n');
    for (const [index, part] of parts.entries()) {
      const isFinished = index < parts.length - 1;
      if (!isFinished && part === '') break;
      const line = this.#unfinished[stream] ?? this.#begin(stream, at);
      if (line.raw.length <= maxLength) line.raw += part;
      this.#unfinished[stream] = isFinished ? null : line;
      if (isFinished) this.#ends[stream] = readLine(line.raw, line.start).end;
    }
    if (this.#lines.length > maxLines + droppedAtOnce) {
      this.#lines.splice(0, droppedAtOnce);
      this.dropped += droppedAtOnce;
    }
  }

  #begin(stream: OutputPiece['stream'], at: string): Written {
    const line = { raw: '', isError: stream === 'stderr', at, start: this.#ends[stream] };
    this.#lines.push(line);
    return line;
  }

  /** Returns a line by its index among those that are kept. */
  line(index: number): OutputLine | undefined {
    const line = this.#lines[index];
    if (!line) return undefined;
    const { raw, isError, at, start } = line;
    const shown = raw.length > maxLength ? `${raw.slice(0, maxLength)}…` : raw;
    return { ...readLine(shown, start), isError, at };
  }
}
