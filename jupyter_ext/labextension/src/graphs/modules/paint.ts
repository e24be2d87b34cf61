import { IBox, Verdict } from '../../kernel/protocol';
import { quantity } from '../nodefacts';

/** The meaning of the colours of boxes. */
export type Measure = 'difference' | 'time' | 'place' | 'memory' | 'dtype' | 'kind';
export type Side = 'torch' | 'target';

export const MEASURES: Record<Measure, string> = {
  difference: 'Difference',
  time: 'Time',
  place: 'Where it runs',
  memory: 'Memory',
  dtype: 'Data type',
  kind: 'Kind of layer'
};
/** Those that need no run of both sides. */
export const OF_ONE: Measure[] = ['kind', 'memory', 'dtype'];

/** Each is dark enough for white text on it, in both themes. */
const SAME = '#2e7d32';
const NONE = '#5b6470';
export const VERDICTS: Record<Verdict, [string, string]> = {
  same: [SAME, 'same or within rounding'],
  rounding: [SAME, 'same or within rounding'],
  different: ['#c62828', 'differs'],
  unknown: ['#6b6b6b', 'not compared']
};
/** One entry of the legend for each colour of a verdict. */
export const VERDICT_KEYS: [string, string][] = [...new Map(Object.values(VERDICTS))];
export const TORCH = '#b4460f';
export const TARGET = '#2f5bd0';
const BOTH = '#7b4fa0';
const DTYPES: Record<string, string> = {
  float32: '#2f5bd0',
  float64: '#1f7a8c',
  float16: '#a0522d',
  bfloat16: '#b4460f',
  int64: '#5f7d2e',
  int32: '#2e7d32',
  int8: '#4a6785',
  uint8: '#7a5a3a',
  bool: '#8a2f6b'
};
const OTHER = '#5b3f8c';
const SEVERAL = '#7b4fa0';
const KINDS: Record<string, string> = {
  Layer: '#2f5bd0',
  Activation: '#a03535',
  Pool: '#2e7d32',
  Normalization: '#1f7a6c',
  Attention: '#8a2f9b',
  Dropout: '#8a6d1f',
  Shape: '#7a5a3a',
  Tensor: '#4a6785'
};
const COOL = [84, 96, 112];
const HOT = [190, 60, 10];

export interface IKey {
  colour: string;
  text: string;
}

/** Gives each box its colour, and says what the colours mean. */
export class Palette {
  /** `seen` are the folded boxes in sight: heat is a share of the hottest of them. */
  constructor(
    private _measure: Measure,
    private _side: Side,
    private _seen: IBox[],
    private _target: string
  ) {
    this._hottest = Math.max(1e-12, ..._seen.map(box => this._heat(box)));
  }

  colour(box: IBox): string {
    const { calls, dtypes, inTorch, verdict } = box.figures;
    if (!calls) {
      return NONE;
    }
    switch (this._measure) {
      case 'difference':
        return VERDICTS[verdict ?? 'unknown'][0];
      case 'place':
        return inTorch === 0 ? TARGET : inTorch === calls ? TORCH : BOTH;
      case 'dtype':
        return dtypes.length > 1 ? SEVERAL : dtypes.length ? DTYPES[dtypes[0]] ?? OTHER : NONE;
      case 'kind':
        return KINDS[box.kind] ?? NONE;
      default:
        return mix(Math.min(1, this._heat(box) / this._hottest));
    }
  }

  legend(): IKey[] {
    const used = new Set(this._seen.map(box => this.colour(box)));
    const keep = (keys: [string, string][]) =>
      keys.filter(([colour]) => used.has(colour)).map(([colour, text]) => ({ colour, text }));
    const named = (colours: Record<string, string>) =>
      Object.entries(colours).map(([text, colour]): [string, string] => [colour, text]);
    switch (this._measure) {
      case 'difference':
        return keep(VERDICT_KEYS);
      case 'place':
        return keep([[TARGET, this._target], [TORCH, 'torch'], [BOTH, 'partly torch']]);
      case 'dtype':
        return keep([...named(DTYPES), [OTHER, 'another'], [SEVERAL, 'several']]);
      case 'kind':
        return keep(named(KINDS));
      case 'time':
        // Each side has its own longest: what is compared is where the time goes.
        return [
          { colour: mix(0), text: 'quick' },
          { colour: mix(1), text: 'takes longest' }
        ];
      case 'memory':
        return [
          { colour: mix(0), text: '0' },
          { colour: mix(1), text: `${quantity(this._hottest)}B` }
        ];
    }
  }

  private _heat(box: IBox): number {
    const { nbytes, targetMs, torchMs } = box.figures;
    return this._measure === 'memory' ? nbytes : this._side === 'torch' ? torchMs : targetMs;
  }

  private _hottest: number;
}

/** From cool to hot. */
export function mix(share: number): string {
  const parts = COOL.map((cool, i) => Math.round(cool + share * (HOT[i] - cool)));
  return `rgb(${parts.join(', ')})`;
}
