import elixir from './backends/bellhop.ex' with { type: 'text' }
import go from './backends/bellhop.go' with { type: 'text' }
import python from './backends/bellhop.py' with { type: 'text' }
import ruby from './backends/bellhop.rb' with { type: 'text' }
import typescript from './backends/bellhop.ts.txt' with { type: 'text' }
import php from './backends/Bellhop.php' with { type: 'text' }
import laravel from './backends/BellhopChannel.php' with { type: 'text' }
import rails from './backends/bellhop_delivery.rb' with { type: 'text' }

/** By the word of `bellhop backend`. */
export const BACKENDS: Readonly<Record<string, string>> = { typescript, python, php, laravel, ruby, rails, go, elixir }
