import { language } from '../words/words.ts';

const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** Writes a number of bytes in the unit that fits it: `48 MB`. */
export function bytesText(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  const unit = units[step] as string;
  const maximumFractionDigits = step > 0 && value < 10 ? 1 : 0;
  const unitDisplay = step === 0 ? 'long' : 'short';
  return new Intl.NumberFormat(language.value, { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(
    value,
  );
}
