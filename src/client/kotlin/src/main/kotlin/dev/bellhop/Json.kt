package dev.bellhop

/** JSON as maps, lists, texts, numbers (`Long` or `Double`), booleans and null. */
internal object Json {
  fun write(value: Any?): String = StringBuilder().also { write(value, it) }.toString()

  fun parse(text: String): Any? = Reader(text).whole()

  private fun write(value: Any?, to: StringBuilder) {
    when (value) {
      null, is Boolean, is Number -> to.append(value)
      is Map<*, *> -> {
        to.append('{')
        value.entries.forEachIndexed { at, (name, part) ->
          if (at > 0) to.append(',')
          quote(name.toString(), to)
          to.append(':')
          write(part, to)
        }
        to.append('}')
      }
      is Iterable<*> -> {
        to.append('[')
        value.forEachIndexed { at, part ->
          if (at > 0) to.append(',')
          write(part, to)
        }
        to.append(']')
      }
      is Array<*> -> write(value.asList(), to)
      is IntArray -> write(value.asList(), to)
      is LongArray -> write(value.asList(), to)
      is DoubleArray -> write(value.asList(), to)
      is FloatArray -> write(value.asList(), to)
      else -> quote(value.toString(), to)
    }
  }

  private fun quote(text: String, to: StringBuilder) {
    to.append('"')
    for (char in text) {
      when {
        char == '"' || char == '\\' -> to.append('\\').append(char)
        char < ' ' -> to.append("\\u%04x".format(char.code))
        else -> to.append(char)
      }
    }
    to.append('"')
  }

  /** Throws `IllegalArgumentException` for what is not JSON. */
  private class Reader(private val text: String) {
    private var at = 0

    fun whole(): Any? {
      val value = value()
      skip()
      require(at == text.length) { "more after the end" }
      return value
    }

    private fun value(): Any? {
      skip()
      return when (peek()) {
        '{' -> fields()
        '[' -> items()
        '"' -> quoted()
        't' -> word("true", true)
        'f' -> word("false", false)
        'n' -> word("null", null)
        else -> number()
      }
    }

    private fun fields(): Map<String, Any?> {
      val found = LinkedHashMap<String, Any?>()
      each('}') {
        skip()
        val name = quoted()
        skip()
        expect(':')
        found[name] = value()
      }
      return found
    }

    private fun items(): List<Any?> {
      val found = ArrayList<Any?>()
      each(']') { found.add(value()) }
      return found
    }

    /** Parts between a bracket and `end`, with commas between them. */
    private fun each(end: Char, part: () -> Unit) {
      at++
      skip()
      if (peek() == end) {
        at++
        return
      }
      while (true) {
        part()
        skip()
        if (peek() == end) break
        expect(',')
      }
      at++
    }

    private fun quoted(): String {
      expect('"')
      val found = StringBuilder()
      while (peek() != '"') {
        val char = text[at++]
        if (char != '\\') {
          found.append(char)
          continue
        }
        when (val escaped = peek().also { at++ }) {
          'b' -> found.append('\b')
          'f' -> found.append('\u000c')
          'n' -> found.append('\n')
          'r' -> found.append('\r')
          't' -> found.append('\t')
          'u' -> {
            require(at + 4 <= text.length) { "ends too early" }
            found.append(text.substring(at, at + 4).toInt(16).toChar())
            at += 4
          }
          else -> found.append(escaped)
        }
      }
      at++
      return found.toString()
    }

    private fun number(): Number {
      val from = at
      while (at < text.length && (text[at].isLetterOrDigit() || text[at] in "+-.")) at++
      val digits = text.substring(from, at)
      return digits.toLongOrNull() ?: requireNotNull(digits.toDoubleOrNull()) { "no value at $from" }
    }

    private fun <T> word(word: String, value: T): T {
      require(text.startsWith(word, at)) { "no value at $at" }
      at += word.length
      return value
    }

    private fun skip() {
      while (at < text.length && text[at] in " \t\r\n") at++
    }

    private fun peek(): Char {
      require(at < text.length) { "ends too early" }
      return text[at]
    }

    private fun expect(char: Char) {
      require(peek() == char) { "no $char at $at" }
      at++
    }
  }
}
